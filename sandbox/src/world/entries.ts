/** What was booked, without the amounts: the times in columns, the words as they are. */
import { Column } from "./columns";

export type TransactionType = "credit" | "debit" | "incoming" | "margin" | "payment_returned";

/** Who stands on the other side of a movement of money. */
export interface Counterparty {
  readonly name: string;
  readonly iban?: string;
  readonly accountNumber?: string;
  readonly bankIdentifier?: string;
  readonly bic?: string;
}

export interface EntryDetails {
  readonly bookedAt: Date;
  /** The day and time from which the money counts. */
  readonly valueAt: Date;
  readonly type: TransactionType;
  readonly reference: string;
  readonly information: string;
  readonly additionalInformation?: string | undefined;
  readonly counterparty?: Counterparty | undefined;
}

/** Every member is there, so that all have one shape and take as little memory as they can. */
interface Words {
  readonly type: TransactionType;
  readonly reference: string;
  readonly information: string;
  readonly additionalInformation: string | undefined;
  readonly counterparty: Counterparty | undefined;
}

export class Entries {
  readonly #words: Words[] = [];
  readonly #bookedAt = new Column(Float64Array);
  readonly #valueAt = new Column(Float64Array);

  /** Answers the entry's number. Throws when it is older than the one before. */
  add(entry: EntryDetails): number {
    const { bookedAt, valueAt, type, reference, information, additionalInformation, counterparty } = entry;
    const number = this.#words.length;
    if (number > 0 && bookedAt.getTime() < this.bookedAt(number - 1))
      throw new RangeError("Entries are booked in the order of time.");
    this.#words.push({ type, reference, information, additionalInformation, counterparty });
    this.#bookedAt.push(bookedAt.getTime());
    this.#valueAt.push(valueAt.getTime());
    return number;
  }

  at(number: number): EntryDetails {
    const bookedAt = new Date(this.bookedAt(number));
    return { ...this.#words[number]!, bookedAt, valueAt: new Date(this.valueAt(number)) };
  }

  /** Milliseconds since 1970. */
  bookedAt(number: number): number {
    return this.#bookedAt.at(number);
  }

  valueAt(number: number): number {
    return this.#valueAt.at(number);
  }
}
