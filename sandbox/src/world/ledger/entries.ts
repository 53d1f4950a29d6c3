/** What was booked, without the amounts, in columns. */
import type { TransactionType } from "../enumerations";
import {
  Column,
  type ColumnState,
  RepeatedColumn,
  type RepeatedColumnState,
  TextColumn,
  type TextColumnState,
} from "./columns";

/** Who stands on the other side of a movement of money. */
export interface Counterparty {
  readonly name: string;
  readonly iban?: string;
  readonly accountNumber?: string;
  readonly bankIdentifier?: string;
  readonly bic?: string;
}

/** What money moves for, as statements tell it in their codes. */
export type EntryKind = "transfer" | "return" | "exchange" | "fee" | "interest" | "margin";

/** What a trade exchanges. */
export interface Exchange {
  readonly contract: string;
  /** Base and quoted currency, such as EURUSD. */
  readonly symbol: string;
  /** Decimal text. */
  readonly rate: string;
  readonly quotedOn: string;
  readonly sold: { readonly currency: string; readonly amount: string };
  readonly bought: { readonly currency: string; readonly amount: string };
}

export interface EntryDetails {
  readonly bookedAt: Date;
  /** The day and time from which the money counts. */
  readonly valueAt: Date;
  readonly type: TransactionType;
  readonly kind: EntryKind;
  readonly exchange?: Exchange | undefined;
  readonly reference: string;
  /** Whether the reference is the payer's own, which goes with the money from end to end. */
  readonly endToEnd?: boolean | undefined;
  readonly information: string;
  readonly additionalInformation?: string | undefined;
  readonly counterparty?: Counterparty | undefined;
}

/** What a movement says of itself; it is booked now, and has its value now unless it says when. */
export type Movement = Omit<EntryDetails, "bookedAt" | "valueAt" | "kind"> & { readonly valueAt?: Date };

/** What an entry says, as it is kept in one text. */
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

  /** Returns the entry's number. Throws when it is older than the one before. */
  append(entry: EntryDetails): number {
    const { bookedAt, valueAt, reference, information, additionalInformation } = entry;
    const { type, kind, exchange, endToEnd, counterparty } = entry;
    const number = this.#bookedAt.length;
    if (number > 0 && bookedAt.getTime() < this.bookedAt(number - 1))
      throw new RangeError("Entries are booked in the order of time.");
    this.#bookedAt.push(bookedAt.getTime());
    this.#valueAt.push(valueAt.getTime());
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
