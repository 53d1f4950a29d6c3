/** What a person says yes to: an order, or a call as it leaves. Sealed: one changed character makes it another. */
import { createHash } from "node:crypto";
import type { CommittedAmount } from "../declaration/committed-amounts";
import { canonicalJson } from "../journal/canonical-json";

/** A person's wish to trade within limits. Amounts and rates are decimals as text. */
export interface OrderTerms {
  readonly trade_type: string;
  readonly buy_currency: string;
  readonly sell_currency: string;
  /** The side whose amount is fixed. */
  readonly fixed_side: "buy" | "sell";
  readonly amount: string;
  /** The pair of the rates, such as EURUSD: the price of one EUR in USD. */
  readonly rate_symbol: string;
  /** No trade is booked at a worse rate. */
  readonly worst_rate: string;
  /** What a quote said when the order was asked for, where its worst rate follows from that. */
  readonly rate_seen?: string;
  readonly highest_fee?: string;
  readonly fee_currency?: string;
  readonly value_date?: string;
  /** Where the value date may be later than that, until when. */
  readonly latest_value_date?: string;
  readonly window_start_date?: string;
  readonly parent_trade_id?: string;
  readonly reason: string;
  readonly reference?: string;
}

/** A call as it leaves, without credentials. */
export interface CallTerms {
  readonly method: string;
  readonly address: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** All fields by name, and those of them that the caller gave. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly given: Readonly<Record<string, unknown>>;
}

/** What is sealed of everything that is released. */
interface SealedFacts {
  readonly operation: string;
  /** The environment by name and address, as the journal has it. */
  readonly environment: string;
  readonly client: string;
  /** Who asked. */
  readonly asker?: string;
  readonly surface: string;
  /** Milliseconds since 1970: nothing leaves later. */
  readonly validUntil: number;
  /** `needed`: it needs a yes, also where no policy says so. `policy`: it was asked for under one, and leaves under one alone. */
  readonly release?: "needed" | "policy";
  /** JSON that whoever asked is told again. */
  readonly correlation?: unknown;
}

export interface SealedOrder extends SealedFacts {
  readonly kind: "order";
  readonly terms: OrderTerms;
  /** On whose behalf it is booked, where the asker said so. */
  readonly contactId?: string;
}

export interface SealedCall extends SealedFacts {
  readonly kind: "call";
  readonly effect: "change" | "money";
  readonly terms: CallTerms;
  /** How much the call commits; undefined where nobody knows. */
  readonly amounts?: readonly CommittedAmount[];
}

export type SealedRequest = SealedOrder | SealedCall;

const sha256 = (value: object): string => createHash("sha256").update(canonicalJson(value)).digest("hex");

/** The seal of what waits for a yes under an ID: another ID has another one. */
export const sealOf = (id: string, sealed: SealedRequest): string => sha256({ id, sealed });

/** What somebody asks for, as one hash: who asks for the same again asks for no second one. */
export const requestHashOf = (
  { kind, operation, environment, client, asker }: SealedRequest,
  given: Readonly<Record<string, unknown>>,
): string => sha256({ kind, operation, environment, client, asker, given });
