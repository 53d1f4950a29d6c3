import { homeCountryOf } from "../banks/banks";

export interface Account {
  readonly accountId: string;
  /** Integer that identifies the account in the simplified list and in MT940 requests. */
  readonly listNumber: number;
  readonly clientId: string;
  readonly currency: string;
  /** Digits from which its account numbers are made. */
  readonly digits: string;
}

/** Input of account numbers, formatted by country. */
export interface Numbers {
  readonly country: string;
  readonly digits: string;
}

/** Returns the numbers an account has from its opening. */
export const ownNumbers = ({ currency, digits }: Account): Numbers => ({
  country: homeCountryOf(currency),
  digits,
});
