/** Writes CODA 2, the Belgian coded statement of account. */
import { Big } from "big.js";
import { parseDecimal, RunningBalance } from "../amount";
import { formatDdmmyy } from "../dates";
import type { Entry, Source, StatementHead, StatementSource, StatementTail } from "../statement";
import { joinCrlf } from "../text-lines";
import { type Communication, splitCommunication } from "./communication";
import { normaliseEntry, normaliseHead, normaliseTail } from "./normalise";
import { writeRecord, widthOf } from "./records";
import { formatAccount, recordPosition, signOf, accountStructureOf, formatThousandths } from "./values";

/** Fields that all records of a movement share. */
interface SequenceValues {
  readonly sequence: string;
  readonly detail: string;
  readonly next: string;
  readonly link: string;
}

/** Related records, each written once the shared fields are known. */
type Chain = ((common: SequenceValues) => string)[];

const returnType = ({ reversal, returnReason }: Entry) => (reversal ? "4" : returnReason ? "2" : "");

/** Splits a text for the communication fields of three records. */
function splitInThree(text: string, first: number, second: number): [string, string, string] {
  return [text.slice(0, first), text.slice(first, first + second), text.slice(first + second)];
}

function movementChain(entry: Entry, { type, text }: Communication, number: string, level: string): Chain {
  const { amount, bookingDate, valueDate, counterparty = {}, endToEndId = "" } = entry;
  const { bankReference = "", purpose = "", returnReason = "", transactionCode = "" } = entry;
  const position = recordPosition("2.1");
  const [first, second, third] = splitInThree(
    text,
    widthOf("2.1", "communication"),
    widthOf("2.2", "communication"),
  );
  const { account = "", bic = "", name = "" } = counterparty;
  const hasThird = third + account + name !== "";
  const hasSecond = hasThird || second + endToEndId + bic + returnType(entry) + purpose !== "";
  const chain: Chain = [
    (common) =>
      writeRecord("2.1", {
        ...common,
        bankReference,
        sign: signOf(entry),
        amount: formatThousandths(amount, position),
        valueDate: formatDdmmyy(valueDate, position),
        code: transactionCode,
        communicationType: type,
        communication: first,
        entryDate: formatDdmmyy(bookingDate, position),
        paperNumber: number,
        globalisation: level,
      }),
  ];
  if (hasSecond)
    chain.push((common) =>
      writeRecord("2.2", {
        ...common,
        communication: second,
        customerReference: endToEndId,
        counterpartyBic: bic,
        returnType: returnType(entry),
        returnReason,
        purpose,
      }),
    );
  if (hasThird)
    chain.push((common) =>
      writeRecord("2.3", {
        ...common,
        counterpartyAccount: account,
        counterpartyName: name.slice(0, widthOf("2.3", "counterpartyName")),
        communication: third,
      }),
    );
  return chain;
}

function informationChain(entry: Entry, { type, text }: Communication): Chain {
  const [first, second, third] = splitInThree(
    text,
    widthOf("3.1", "communication"),
    widthOf("3.2", "communication"),
  );
  const { bankReference = "", transactionCode = "" } = entry;
  const chain: Chain = [
    (common) =>
      writeRecord("3.1", {
        ...common,
        bankReference,
        code: transactionCode,
        communicationType: type,
        communication: first,
      }),
  ];
  if (second) chain.push((common) => writeRecord("3.2", { ...common, communication: second }));
  if (third) chain.push((common) => writeRecord("3.3", { ...common, communication: third }));
  return chain;
}

function toChains(entry: Entry, number: string, level: string): Chain[] {
  const { movement, information } = splitCommunication(entry);
  return [
    movementChain(entry, movement, number, level),
    ...information.map((communication) => informationChain(entry, communication)),
  ];
}

const toFlag = (on: boolean) => (on ? "1" : "0");

/** Writes chains as lines. `next` marks that the chain continues, `link` on its last record that another follows. */
const chainLines = (chains: readonly Chain[], sequence: string, firstDetail: number): string[] =>
  chains.flatMap((chain, index) =>
    chain.map((record, position) => {
      const isLast = position === chain.length - 1;
      return record({
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

function oldBalanceLine({ account, openingBalance }: StatementHead, number: string): string {
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

function newBalanceLine({ account }: StatementHead, tail: StatementTail, number: string): string {
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

/** Counts and sums for the trailer. */
class TrailerTotals {
  count = 0;
  debits = new Big(0);
  credits = new Big(0);

  addRecords(count: number): void {
    this.count += count;
  }

  addEntry({ amount, creditDebit }: Entry): void {
    const value = parseDecimal(amount, recordPosition("2.1"));
    if (creditDebit === "Debit") this.debits = this.debits.plus(value);
    else this.credits = this.credits.plus(value);
  }

  line(isLast: boolean): string {
    const position = recordPosition("9");
    return writeRecord("9", {
      count: String(this.count),
      debits: formatThousandths(this.debits, position),
      credits: formatThousandths(this.credits, position),
      multipleFiles: isLast ? "2" : "1",
    });
  }
}

async function* writeStatementFile(statement: StatementSource, isLast: boolean): AsyncGenerator<string> {
  const head = normaliseHead(statement);
  const { currency } = head.account;
  const tail = normaliseTail(statement, currency);
  const number = String(head.number);
  const running = new RunningBalance(head.openingBalance, currency, recordPosition("1"));
  const totals = new TrailerTotals();
  yield joinCrlf([headerLine(head, tail.closingBalance.date), oldBalanceLine(head, number)]);
  totals.addRecords(1);
  let sequence = 0;
  for await (const given of statement.entries) {
    const entry = normaliseEntry(given, currency);
    const lines = entryLines(entry, ++sequence, number);
    totals.addRecords(lines.length);
    totals.addEntry(entry);
    running.add(entry, recordPosition("2.1"));
    yield joinCrlf(lines);
  }
  running.check(tail.closingBalance, recordPosition("8"));
  const information = informationLines(tail.information);
  // A statement without movements has no new balance.
  const newBalance = sequence > 0 ? [newBalanceLine(head, tail, number)] : [];
  totals.addRecords(newBalance.length);
  yield joinCrlf([...newBalance, ...information, totals.line(isLast)]);
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
