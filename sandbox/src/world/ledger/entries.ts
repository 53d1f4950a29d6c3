/** Details of ledger entries, without amounts, stored in columns. */
import type { TransactionType } from "../common/enumerations";
import {
  Column,
  type ColumnState,
  RepeatedColumn,
  type RepeatedColumnState,
  TextColumn,
  type TextColumnState,
} from "./columns";

/** The other party of a movement. */
export interface Counterparty {
  readonly name: string;
  readonly iban?: string;
  readonly accountNumber?: string;
  readonly bankIdentifier?: string;
  readonly bic?: string;
}

/** Reason of a movement; determines the transaction code on statements. */
export type EntryKind = "transfer" | "return" | "exchange" | "fee" | "interest" | "margin";

/** The two amounts of a trade. */
export interface Exchange {
  readonly contract: string;
  /** Base and quote currency, for example EURUSD. */
  readonly symbol: string;
  /** Decimal text. */
  readonly rate: string;
  readonly quotedOn: string;
  readonly sold: { readonly currency: string; readonly amount: string };
  readonly bought: { readonly currency: string; readonly amount: string };
}

export interface EntryDetails {
  readonly bookedAt: Date;
  /** Value date and time. */
  readonly valueAt: Date;
  readonly type: TransactionType;
  readonly kind: EntryKind;
  readonly exchange?: Exchange | undefined;
  readonly reference: string;
  /** True if the reference is the payer's end-to-end reference. */
  readonly endToEnd?: boolean | undefined;
  readonly information: string;
  readonly additionalInformation?: string | undefined;
  readonly counterparty?: Counterparty | undefined;
}

/** Details of a movement, booked now. `valueAt` defaults to now. */
export type Movement = Omit<EntryDetails, "bookedAt" | "valueAt" | "kind"> & { readonly valueAt?: Date };

/** Texts of an entry, stored as one JSON text. */
type EntryTexts = [reference: string, information: string, additionalInformation: string | null];

type RepeatedDetails = Pick<EntryDetails, "type" | "kind" | "exchange" | "endToEnd" | "counterparty">;

export interface EntriesState {
  readonly bookedAt: ColumnState<Float64Array>;
  readonly valueAt: ColumnState<Float64Array>;
  readonly texts: TextColumnState;
  readonly rest: RepeatedColumnState<RepeatedDetails>;
}

export class Entries {
  readonly #bookedAt: Column<Float64Array>;
  readonly #valueAt: Column<Float64Array>;
  readonly #texts: TextColumn;
  readonly #rest: RepeatedColumn<RepeatedDetails>;

  constructor({ bookedAt, valueAt, texts, rest }: Partial<EntriesState> = {}) {
    this.#bookedAt = new Column(Float64Array, bookedAt);
    this.#valueAt = new Column(Float64Array, valueAt);
    this.#texts = new TextColumn(texts);
    this.#rest = new RepeatedColumn(rest);
  }

  get state(): EntriesState {
    return {
      bookedAt: this.#bookedAt.state,
      valueAt: this.#valueAt.state,
      texts: this.#texts.state,
      rest: this.#rest.state,
    };
  }

  /** Appends an entry and returns its number. Throws a RangeError if it is older than the previous entry. */
  append(entry: EntryDetails): number {
    const { bookedAt, valueAt, reference, information, additionalInformation } = entry;
    const { type, kind, exchange, endToEnd, counterparty } = entry;
    const number = this.#bookedAt.length;
    if (number > 0 && bookedAt.getTime() < this.bookedAt(number - 1))
      throw new RangeError("Entries must be booked in order of time.");
    this.#bookedAt.append([bookedAt.getTime()]);
    this.#valueAt.append([valueAt.getTime()]);
    this.#texts.push(JSON.stringify([reference, information, additionalInformation]));
    this.#rest.push({ type, kind, exchange, endToEnd, counterparty });
    return number;
  }

  at(number: number): EntryDetails {
    const [reference, information, additional] = JSON.parse(this.#texts.at(number)) as EntryTexts;
    const { type, kind, exchange, endToEnd, counterparty } = this.#rest.at(number);
    return {
      bookedAt: new Date(this.bookedAt(number)),
      valueAt: new Date(this.valueAt(number)),
      type,
      kind,
      exchange,
      reference,
      endToEnd,
      information,
      additionalInformation: additional ?? undefined,
      counterparty,
    };
  }

  type(number: number): TransactionType {
    return this.#rest.at(number).type;
  }

  /** Milliseconds since 1970. */
  bookedAt(number: number): number {
    return this.#bookedAt.at(number);
  }

  valueAt(number: number): number {
    return this.#valueAt.at(number);
  }
}
