/** A payment of the open-banking interfaces. */
import { Big } from "big.js";
import type { Account } from "../accounts/account";
import type { Subset, TransactionStatus } from "../enumerations";
import type { Money } from "../money/currencies";
import type { Client } from "../parties/parties";
import type { Decision } from "./decision";
import type { Pain001 } from "./pain001";
import type { AccountReference } from "./references";
import type { StandingOrder } from "./standing-order";

/** Those that a payment here can have. */
export type PaymentStatus = Subset<
  TransactionStatus,
  "RCVD" | "PATC" | "ACTC" | "ACSP" | "ACSC" | "PART" | "RJCT" | "CANC"
>;

/** Why something was rejected: a code of ISO 20022 (ExternalStatusReason1Code), and what it means. */
export interface StatusReason {
  readonly code: "AC01" | "AM04" | "DS02";
  readonly text: string;
}

/** One of the credits a payment is made of. */
export interface Transfer {
  readonly amount: Money;
  readonly creditorName: string;
  readonly creditorAccount: AccountReference;
  readonly creditorAgent: string | undefined;
  readonly endToEndIdentification: string | undefined;
  readonly remittanceInformationUnstructured: string | undefined;
}

export interface PaymentTerms {
  readonly client: Client;
  readonly service: string;
  readonly product: string;
  readonly account: Account;
  readonly transfers: readonly Transfer[];
  /** For a standing order: when it pays. */
  readonly order: StandingOrder | undefined;
  /** Not before this time. */
  readonly requestedAt: Date | undefined;
  /** One entry on the account for all transfers. */
  readonly asBatch: boolean;
  readonly rejectWithoutFunds: boolean;
  /** The document it was initiated with. */
  readonly document: Pain001 | undefined;
  /** The JSON in the caller's words; beside a document, what went along. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface Payment extends PaymentTerms {
  readonly paymentId: string;
  readonly initiation: Decision;
  readonly cancellation: Decision;
  status: PaymentStatus;
  /** From when on it is expected to leave the account. */
  authorisedAt: Date | undefined;
  /** How many people must still authorise it. */
  unsigned: number;
  /** What could not be paid when it was executed, and why. */
  unpaid: ReadonlyMap<Transfer, StatusReason>;
  /** Why it was rejected as a whole. */
  rejection: StatusReason | undefined;
  /** Whether the cancellation was asked for and waits for a person. */
  cancelling: boolean;
}

export const totalOf = ({ transfers }: Pick<Payment, "transfers">): Big =>
  transfers.reduce((sum, { amount }) => sum.plus(amount.amount), new Big(0));

/** Whether nobody has authorised it yet, or not everybody who must. */
export const isUnauthorised = ({ status }: Payment): boolean => status === "RCVD" || status === "PATC";
