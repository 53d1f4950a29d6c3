/** The numbers under which money reaches an account. */
import type { AccountDetailsStatus } from "../enumerations";
import type { Numbers } from "./account";

export interface AccountDetails {
  readonly accountDetailsId: string;
  readonly clientId: string;
  /** A pooled account belongs to no one client. */
  readonly type: "dedicated" | "pooled";
  /** A dedicated account is segregated, with numbers at the bank of its own, or virtual. */
  readonly virtual: boolean;
  readonly country: string;
  readonly currency: string;
  /** There are none before the details are confirmed. */
  numbers: Numbers | undefined;
  readonly createdAt: Date;
  modifiedAt: Date;
  status: AccountDetailsStatus;
  primary: boolean;
  alias: string | undefined;
}
