import type { AccountDetailsStatus } from "../common/enumerations";
import type { Numbers } from "./account";

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
