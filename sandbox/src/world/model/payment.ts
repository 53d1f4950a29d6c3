import { Big } from "big.js";
import type { Account } from "./account";
import type { Subset, TransactionStatus } from "../common/enumerations";
import type { Money } from "../money/currencies";
import type { Client } from "../parties/parties";
import type { Decision } from "./decision";
import type { Pain001 } from "./pain001";
import type { AccountReference } from "./account-references";
import type { StandingOrder } from "./standing-order";

/** Statuses that the sandbox uses. */
export type PaymentStatus = Subset<
  TransactionStatus,
  "RCVD" | "PATC" | "ACTC" | "ACSP" | "ACSC" | "PART" | "RJCT" | "CANC"
>;

/** Rejection reason: ISO 20022 code (ExternalStatusReason1Code) and text. */
export interface StatusReason {
  readonly code: "AC01" | "AM04" | "DS02";
  readonly text: string;
}

/** One credit of a payment. */
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
  /** Schedule of a standing order. */
  readonly order: StandingOrder | undefined;
  /** Earliest execution time. */
  readonly requestedAt: Date | undefined;
  /** True to book all transfers as one entry. */
  readonly asBatch: boolean;
  readonly rejectWithoutFunds: boolean;
  /** Document that initiated the payment. */
  readonly document: Pain001 | undefined;
  /** Request body as received, or the JSON part of a multipart request. */
  readonly content: Readonly<Record<string, unknown>>;
}

export interface Payment extends PaymentTerms {
  readonly paymentId: string;
  readonly initiation: Decision;
  readonly cancellation: Decision;
  status: PaymentStatus;
  /** Time from which the debit is expected. */
  authorisedAt: Date | undefined;
  /** Number of missing authorisations. */
  unsigned: number;
  /** Transfers that could not be paid, with reasons. */
  unpaid: ReadonlyMap<Transfer, StatusReason>;
  /** Reason for rejecting the whole payment. */
  rejection: StatusReason | undefined;
  /** True while a requested cancellation waits for authorisation. */
  cancelling: boolean;
}

export const totalOf = ({ transfers }: Pick<Payment, "transfers">): Big =>
  transfers.reduce((sum, { amount }) => sum.plus(amount.amount), new Big(0));

/** True if not all required people have authorised it. */
export const isUnauthorised = ({ status }: Payment): boolean => status === "RCVD" || status === "PATC";
