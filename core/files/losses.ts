/** What a statement loses in another format: the fields that the format has no place for, or holds otherwise. */
import { Big } from "big.js";
import { isObject } from "../values/json";
import {
  type Balance,
  type Entry,
  isBooked,
  signedAmount,
  type Statement,
  type StatementHead,
  type StatementTail,
} from "./statement";

/** A field that a converted file does not hold as it was. */
export interface Loss {
  /** Path of the field, for example `entries.counterparty.address`. */
  readonly field: string;
  /** `missing`: it is not in the file. `changed`: it is cut, spelled otherwise, or joined with other texts. */
  readonly kind: "missing" | "changed";
  /** Number of values. */
  readonly count: number;
}

const isDecimal = (text: unknown): text is string => typeof text === "string" && /^\d+\.\d+$/.test(text);
const trimZeros = (text: string): string => text.replace(/\.?0+$/, "");

const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (isDecimal(one) && isDecimal(other) && trimZeros(one) === trimZeros(other));

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === false || value === "" || (Array.isArray(value) && value.length === 0);

/** Yields the path and kind of each loss. A missing object or list is one loss. */
function* compare(original: unknown, held: unknown, path: string): Generator<[string, Loss["kind"]]> {
  if (isEmpty(original) || isSame(original, held)) return;
  if (held === undefined) yield [path, "missing"];
  else if (Array.isArray(original) && Array.isArray(held))
    for (const [index, each] of original.entries()) yield* compare(each, held[index], path);
  else if (isObject(original) && isObject(held)) {
    const prefix = path === "" ? "" : `${path}.`;
    for (const [name, value] of Object.entries(original)) yield* compare(value, held[name], prefix + name);
  } else yield [path, "changed"];
}

/** Returns the entry that leads from one balance to the other. */
function movementBetween(opening: Balance, closing: Balance): Entry {
  const amount = new Big(signedAmount(closing)).minus(signedAmount(opening));
  return {
    bookingDate: closing.date,
    valueDate: closing.date,
    amount: amount.abs().toFixed(),
    creditDebit: amount.lt(0) ? "Debit" : "Credit",
  };
}

/** Counts the losses of statements. `hold` returns a statement as the format represents it. */
export class LossCounter {
  readonly #counts = new Map<string, Loss>();

  constructor(private readonly hold: (statement: Statement) => Statement | Promise<Statement>) {}

  /** Adds the losses of a statement. Throws a FormatError if the format cannot represent it. */
  async add(statement: Statement): Promise<void> {
    const { entries, violations: _, ...frame } = statement;
    if (entries.length > 0) await this.addEntries(statement);
    await this.addFrame(frame);
  }

  /** Adds the losses of entries, given as a statement that adds up. Throws a FormatError if the format cannot represent them. */
  async addEntries(statement: Statement): Promise<void> {
    const held = await this.hold(statement);
    // Formats without pending entries hold the booked ones.
    const hasAll = held.entries.length === statement.entries.length;
    const entries = hasAll ? statement.entries : statement.entries.filter(isBooked);
    for (const _ of statement.entries.slice(entries.length)) this.#count("entries", "missing");
    for (const loss of compare({ entries }, held, "")) this.#count(...loss);
  }

  /** Adds the losses of a statement without its entries. Throws a FormatError if the format cannot represent it. */
  async addFrame(frame: StatementHead & StatementTail): Promise<void> {
    const { openingBalance, closingBalance } = frame;
    const entries = openingBalance && closingBalance ? [movementBetween(openingBalance, closingBalance)] : [];
    const held = await this.hold({ ...frame, entries });
    for (const loss of compare(frame, held, "")) this.#count(...loss);
  }

  #count(field: string, kind: Loss["kind"]): void {
    const key = `${field} ${kind}`;
    this.#counts.set(key, { field, kind, count: (this.#counts.get(key)?.count ?? 0) + 1 });
  }

  /** The losses so far, in the order in which they were found. */
  get losses(): readonly Loss[] {
    return [...this.#counts.values()];
  }
}
