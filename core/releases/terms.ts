/** The sealed terms of a release: an order, or an encoded request. Any change results in another seal. */
import { createHash } from "node:crypto";
import { invalidInputError } from "../call/call-errors";
import type { Comparison } from "../call/call-options";
import type { QuotedTrade } from "../call/quote-memory";
import type { CommittedAmount } from "../spec/committed-money";
import type { Callable } from "../spec/operation";
import { canonicalJson } from "../values/json";

/** Terms of an order. Amounts and rates are decimal strings. */
export interface OrderTerms {
  readonly trade_type: string;
  readonly buy_currency: string;
  readonly sell_currency: string;
  /** The side whose amount is fixed. */
  readonly fixed_side: "buy" | "sell";
  readonly amount: string;
  /** Currency pair of the rates. EURUSD is the price of one EUR in USD. */
  readonly rate_symbol: string;
  /** Limit for the rate of a booking. */
  readonly worst_rate: string;
  /** Rate when the order was requested: of the quote from which the worst rate was derived, or an estimate. */
  readonly rate_seen?: string;
  readonly highest_fee?: string;
  readonly fee_currency?: string;
  readonly value_date?: string;
  /** Latest acceptable value date. Defaults to `value_date`. */
  readonly latest_value_date?: string;
  readonly window_start_date?: string;
  readonly parent_trade_id?: string;
  readonly reason: string;
  readonly reference?: string;
}

/** Returns what belongs to the fixed side, then what belongs to the variable side. */
export const fixedSideFirst = <T>(
  { fixed_side }: Pick<OrderTerms, "fixed_side">,
  buy: T,
  sell: T,
): readonly [T, T] => (fixed_side === "buy" ? [buy, sell] : [sell, buy]);

/** An order request. The sealed terms follow from it. */
export interface OrderInput extends Omit<
  OrderTerms,
  "rate_symbol" | "worst_rate" | "rate_seen" | "highest_fee" | "fee_currency"
> {
  readonly worst_rate?: string;
  readonly rate_symbol?: string;
  /** Percent by which the rate may be worse than that of a quote requested now. */
  readonly largest_distance?: string;
  readonly highest_fee?: string;
  readonly fee_currency?: string;
  readonly valid_until: string;
}

/** How `client.request` was given the fields of a call. Another process makes the same call with them. */
export interface RequestTerms {
  readonly path: string;
  readonly server: string;
  /** Names of the fields, in the order in which they are encoded. */
  readonly query: readonly string[];
  readonly body?: readonly string[];
}

/** An encoded request without credentials. */
export interface CallTerms {
  readonly method: string;
  readonly address: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** All fields by name, and those that the caller gave. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly given: Readonly<Record<string, unknown>>;
  /** Only for calls of `client.request`. */
  readonly request?: RequestTerms;
}

/** Sealed facts common to orders and calls. */
interface SealedFacts {
  readonly operation: string;
  /** Name and address of the environment, as in the journal. */
  readonly environment: string;
  readonly client: string;
  /** The requester. */
  readonly requester?: string;
  readonly surface: string;
  /** The caller's idempotency key, if given. */
  readonly key?: string;
  /** Milliseconds since 1970, by the clock of the requester. */
  readonly requestedAt: number;
  /** Milliseconds since 1970. Nothing is sent after this time. */
  readonly validUntil: number;
  /** A money call that no rule of the policy matches needs release by anyone except the requester. */
  readonly release?: "needed";
  /** True if requested under a policy; then sent only under one. */
  readonly underPolicy?: true;
  /** What people must know before they decide, for example a possible duplicate. */
  readonly warnings?: readonly string[];
  /** JSON of the requester, returned unchanged. */
  readonly correlation?: unknown;
}

export interface SealedOrder extends SealedFacts {
  readonly kind: "order";
  readonly terms: OrderTerms;
  /** Contact on whose behalf the order is booked. */
  readonly contactId?: string;
}

export interface SealedCall extends SealedFacts {
  readonly kind: "call";
  readonly effect: "change" | "money";
  readonly terms: CallTerms;
  /** Committed amounts; empty if it commits none, undefined if unknown. */
  readonly amounts?: readonly CommittedAmount[];
  /** IBANs of all accounts to credit; undefined if one of them is not known. */
  readonly creditors?: readonly string[];
  /** Those of them that are paid for the first time in 90 days, as far as the journal knows. */
  readonly firstPayments?: readonly string[];
  /** The trade that is booked, by its quote; `unknown` if it may book one that this client does not know. */
  readonly trade?: QuotedTrade | "unknown";
  /** Comparison with earlier calls. It is made again with later ones when the call is sent. */
  readonly compared?: Comparison;
  /** Proves the trade to the process that sends the call. */
  readonly quoteProof?: string;
}

export type SealedRequest = SealedOrder | SealedCall;

const sha256 = (value: object): string => createHash("sha256").update(canonicalJson(value)).digest("hex");

/** Returns the seal. It includes the ID, so that a decision on one release is not valid for another. */
export const sealOf = (id: string, sealed: SealedRequest): string => sha256({ id, sealed });

/** Hashes a request, so that a repetition by the same requester is recognised. */
export const requestHashOf = (
  { kind, operation, environment, client, requester }: SealedRequest,
  given: Readonly<Record<string, unknown>>,
): string => sha256({ kind, operation, environment, client, requester, given });

const maxCorrelationLength = 10_000;

/** Normalises correlation data. Throws InvalidInput if it is not JSON or too long. */
export function parseCorrelation(operation: string, given: unknown): { readonly correlation?: unknown } {
  if (given === undefined) return {};
  const invalid = (message: string) =>
    invalidInputError({ name: operation } as Callable, [{ field: "correlation", message }]);
  let json: string | undefined;
  try {
    json = JSON.stringify(given) as string | undefined;
  } catch (error) {
    throw invalid(`must be JSON: ${(error as Error).message}`);
  }
  if (json === undefined) throw invalid("must be JSON");
  if (json.length > maxCorrelationLength)
    throw invalid(`must not be longer than ${maxCorrelationLength} characters as JSON`);
  return { correlation: JSON.parse(json) as unknown };
}
