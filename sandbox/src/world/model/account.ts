/** Accounts and their details. */
import { homeCountryOf } from "../banks/banks";
import type { AccountDetailsStatus } from "../common/enumerations";

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

/** Numbers under which money reaches an account. */
export interface AccountDetails {
  readonly accountDetailsId: string;
  readonly clientId: string;
  /** A pooled account is shared by several clients. */
  readonly type: "dedicated" | "pooled";
  /** False: a segregated account with its own numbers at the bank. */
  readonly virtual: boolean;
  readonly country: string;
  readonly currency: string;
  /** Undefined until the details are confirmed. */
  numbers: Numbers | undefined;
  readonly createdAt: Date;
  modifiedAt: Date;
  status: AccountDetailsStatus;
  primary: boolean;
  alias: string | undefined;
}
