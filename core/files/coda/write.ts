/** Writes CODA 2, the Belgian coded statement of account. */
import { Big } from "big.js";
import { RunningBalance } from "../amount";
import { formatDdmmyy } from "../dates";
import {
  type BookedHead,
  type BookedTail,
  type Entry,
  isBooked,
  type Source,
  type StatementHead,
  type StatementSource,
} from "../statement";
import { joinCrlf } from "../text-lines";
import { type Communication, splitCommunication } from "./communication";
import { normaliseEntry, normaliseHead, normaliseTail } from "./normalise";
import { type RecordValues, type records, widthOf, writeRecord } from "./records";
import { formatAccount, recordPosition, signOf, accountStructureOf, formatThousandths } from "./values";

/** Fields that all records of a movement share. */
interface SequenceValues {
  readonly sequence: string;
  readonly detail: string;
  readonly next: string;
  readonly link: string;
}

type ChainRecord = keyof typeof records & `${"2" | "3"}.${string}`;

/** A record of a movement, to be written once the shared fields are known. */
interface ChainLink {
  readonly isEmpty: boolean;
  readonly write: (common: SequenceValues) => string;
}

const link = <R extends ChainRecord>(
  record: R,
  values: Partial<Omit<RecordValues<R>, keyof SequenceValues>>,
): ChainLink => ({
  isEmpty: Object.values(values).every((value) => value === ""),
  write: (common) => writeRecord(record, { ...values, ...common } as Partial<RecordValues<R>>),
});

/** Records are written up to the last one with a value. */
const toChain = (links: readonly ChainLink[]) =>
  links.slice(0, links.findLastIndex(({ isEmpty }) => !isEmpty) + 1);

const returnType = ({ reversal, returnReason }: Entry) => (reversal ? "4" : returnReason ? "2" : "");

function movementChain(entry: Entry, text: Communication, number: string, level: string): ChainLink[] {
  const { counterparty = {}, bankReference = "", transactionCode = "" } = entry;
  const position = recordPosition("2.1");
  return toChain([
    link("2.1", {
      bankReference,
      sign: signOf(entry),
      amount: formatThousandths(entry.amount, position),
      valueDate: formatDdmmyy(entry.valueDate, position),
      code: transactionCode,
      communicationType: text.type,
      communication: text.first,
      entryDate: formatDdmmyy(entry.bookingDate, position),
      paperNumber: number,
      globalisation: level,
    }),
    link("2.2", {
      communication: text.second,
      customerReference: entry.endToEndId ?? "",
      counterpartyBic: counterparty.bic ?? "",
      returnType: returnType(entry),
      returnReason: entry.returnReason ?? "",
      purpose: entry.purpose ?? "",
    }),
    link("2.3", {
      counterpartyAccount: counterparty.account ?? "",
      counterpartyName: (counterparty.name ?? "").slice(0, widthOf("2.3", "counterpartyName")),
      communication: text.third,
    }),
  ]);
}

const informationChain = ({ bankReference = "", transactionCode = "" }: Entry, text: Communication) =>
  toChain([
    link("3.1", {
      bankReference,
      code: transactionCode,
      communicationType: text.type,
      communication: text.first,
    }),
    link("3.2", { communication: text.second }),
    link("3.3", { communication: text.third }),
  ]);

function toChains(entry: Entry, number: string, level: string): ChainLink[][] {
  const { movement, information } = splitCommunication(entry);
  return [
    movementChain(entry, movement, number, level),
    ...information.map((communication) => informationChain(entry, communication)),
  ];
}

const toFlag = (on: boolean) => (on ? "1" : "0");

/** Writes chains as lines. `next` marks that the chain continues, `link` on its last record that another follows. */
const chainLines = (chains: readonly ChainLink[][], sequence: string, firstDetail: number): string[] =>
  chains.flatMap((chain, index) =>
    chain.map(({ write }, position) => {
      const isLast = position === chain.length - 1;
      return write({
        sequence,
        detail: String(firstDetail + index),
        next: toFlag(!isLast),
        link: toFlag(isLast && index < chains.length - 1),
      });
    }),
  );

/** Writes an entry and its details. The globalisation level marks the first and the last. */
function entryLines(entry: Entry, sequence: number, number: string): string[] {
  const { details = [] } = entry;
  const lines: string[] = [];
  let detail = 0;
  for (const [index, part] of [entry, ...details].entries()) {
    const isEnd = index === 0 || index === details.length;
    const chains = toChains(part, number, toFlag(details.length > 0 && isEnd));
    lines.push(...chainLines(chains, String(sequence % 10_000), detail));
    detail += chains.length;
  }
  return lines;
}

const headerLine = ({ account, reference = "" }: StatementHead, date: string) =>
  writeRecord("0", {
    created: formatDdmmyy(date, recordPosition("0")),
    application: "05",
    addressee: account.holder ?? "",
    bic: account.bic ?? "",
    reference,
    version: "2",
  });

function oldBalanceLine({ account, openingBalance }: BookedHead, number: string): string {
  const position = recordPosition("1");
  return writeRecord("1", {
    structure: accountStructureOf(account.number),
    paperNumber: number,
    account: formatAccount(account),
    sign: signOf(openingBalance),
    amount: formatThousandths(openingBalance.amount, position),
    date: formatDdmmyy(openingBalance.date, position),
    holder: account.holder ?? "",
    number,
  });
}

function newBalanceLine({ account }: StatementHead, tail: BookedTail, number: string): string {
  const { closingBalance, information } = tail;
  const position = recordPosition("8");
  return writeRecord("8", {
    paperNumber: number,
    account: formatAccount(account),
    sign: signOf(closingBalance),
    amount: formatThousandths(closingBalance.amount, position),
    date: formatDdmmyy(closingBalance.date, position),
    link: toFlag(information !== undefined),
  });
}

/** Writes the information on the statement, 80 characters per record. */
function informationLines(text = ""): string[] {
  const width = widthOf("4", "text");
  const count = Math.ceil(text.length / width);
  return Array.from({ length: count }, (_, index) =>
    writeRecord("4", {
      sequence: "1",
      detail: String(index),
      text: text.slice(index * width, (index + 1) * width),
      link: toFlag(index < count - 1),
    }),
  );
}

async function* writeStatementFile(statement: StatementSource, isLast: boolean): AsyncGenerator<string> {
  const head = normaliseHead(statement);
  const { currency } = head.account;
  const tail = normaliseTail(statement, currency);
  const number = String(head.number);
  const running = new RunningBalance(head.openingBalance, currency, recordPosition("1"));
  const sums = { Debit: new Big(0), Credit: new Big(0) };
  yield joinCrlf([headerLine(head, tail.closingBalance.date), oldBalanceLine(head, number)]);
  let [count, sequence] = [1, 0];
  for await (const given of statement.entries) {
    if (!isBooked(given)) continue;
    const entry = normaliseEntry(given, currency);
    const lines = entryLines(entry, ++sequence, number);
    count += lines.length;
    sums[entry.creditDebit] = sums[entry.creditDebit].plus(entry.amount);
    running.add(entry, recordPosition("2.1"));
    yield joinCrlf(lines);
  }
  running.check(tail.closingBalance, recordPosition("8"));
  // A statement without movements has no new balance.
  const newBalance = sequence > 0 ? [newBalanceLine(head, tail, number)] : [];
  const position = recordPosition("9");
  const trailer = writeRecord("9", {
    count: String(count + newBalance.length),
    debits: formatThousandths(sums.Debit, position),
    credits: formatThousandths(sums.Credit, position),
    multipleFiles: isLast ? "2" : "1",
  });
  yield joinCrlf([...newBalance, ...informationLines(tail.information), trailer]);
}

/** Yields each item with a flag for the last one. */
async function* markLast<T>(items: Source<T>): AsyncGenerator<[item: T, isLast: boolean]> {
  let previous: [T] | undefined;
  for await (const item of items) {
    if (previous) yield [previous[0], false];
    previous = [item];
  }
  if (previous) yield [previous[0], true];
}

/**
 * Writes statements as CODA 2 files, concatenated and entry by entry, in ASCII with CRLF. Every line has 128 characters.
 *
 * Texts are adapted to the format (see `normaliseCoda`). Throws a FormatError for amounts with more than 12 digits or 3
 * decimals, dates outside 1980 to 2079, and balances that do not add up.
 */
export async function* writeCoda(statements: Source<StatementSource>): AsyncGenerator<string, void, void> {
  for await (const [statement, isLast] of markLast(statements)) yield* writeStatementFile(statement, isLast);
}
