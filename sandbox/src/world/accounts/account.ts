/** An account of a client, in one currency. */
import { homeCountryOf } from "./banks";

export interface Account {
  readonly accountId: string;
  /** The whole number that stands for the account on the simplified list and in MT940 requests. */
  readonly listNumber: number;
  readonly clientId: string;
  readonly currency: string;
  /** From which its own numbers at the bank are made. */
  readonly digits: string;
}

/** From what numbers at the bank are made, as the country writes them. */
export interface Numbers {
  readonly country: string;
  readonly digits: string;
}

/** The numbers that an account has from the beginning. */
export const ownNumbers = ({ currency, digits }: Account): Numbers => ({
  country: homeCountryOf(currency),
  digits,
});
