/** Writes MT940, the SWIFT customer statement message. */
import { minorUnits } from "../../values/values";
import { parseDecimal, RunningBalance } from "../amount";
import { formatYymmdd } from "../dates";
import { FormatError, type Position } from "../format-error";
import {
  type Account,
  type Balance,
  type BookedHead,
  type BookedTail,
  type Entry,
  isBooked,
  type Source,
  type StatementSource,
} from "../statement";
import { joinCrlf } from "../text-lines";
import { toPlainLines } from "./information";
import {
  formatAccount,
  type Mt940Options,
  checkedInformationLines,
  tagPosition,
  noReference,
  normaliseHead,
  normaliseLine,
  normaliseTail,
  type StatementLine,
} from "./fields";

/** Upper bound of a message in characters. */
const maxMessageLength = 2000;
/** Characters reserved for the end of a continued message: its balance and the dash. */
const messageEndLength = 40;

/** Formats an amount with a decimal comma, which MT940 requires even without decimals. */
function formatCommaAmount(amount: string, currency: string, position: Position): string {
  const [units = "", decimals = ""] = parseDecimal(amount, position).toFixed().split(".");
  if (decimals.length > minorUnits(currency))
    throw new FormatError("invalid", position, `${amount} has more decimals than ${currency} allows`);
  const text = `${units},${decimals.padEnd(minorUnits(currency), "0")}`;
  if (text.length > 15) throw new FormatError("too_long", position, `${amount} has more than 15 characters`);
  return text;
}

const creditDebitMark = ({ creditDebit }: Pick<Balance, "creditDebit">) =>
  creditDebit === "Debit" ? "D" : "C";

function balanceLine(tag: string, balance: Balance, currency: string): string {
  const { amount, date } = balance;
  return `${tag}${creditDebitMark(balance)}${formatYymmdd(date, tagPosition(tag))}${currency}${formatCommaAmount(amount, currency, tagPosition(tag))}`;
}

/** A reversal of a credit is a debit and is marked RC. */
const reversalMark = { C: "RD", D: "RC" } as const;

function formatStatementLine(line: StatementLine, currency: string): string[] {
  const position = tagPosition(":61:");
  const { bookingDate, valueDate, amount, bankReference, additionalInformation } = line;
  const first = [
    ":61:",
    formatYymmdd(valueDate, position),
    formatYymmdd(bookingDate, position).slice(2),
    line.reversal ? reversalMark[creditDebitMark(line)] : creditDebitMark(line),
    formatCommaAmount(amount, currency, position),
    line.transactionCode,
    line.customerReference ?? noReference,
    bankReference && `//${bankReference}`,
  ].join("");
  return additionalInformation ? [first, additionalInformation] : [first];
}

const tagLines = (tag: string, [first, ...others]: readonly string[]) =>
  first === undefined ? [] : [tag + first, ...others];

const entryLines = (entry: Entry, { currency }: Account, options: Mt940Options): string[] => [
  ...formatStatementLine(normaliseLine(entry, currency), currency),
  ...tagLines(":86:", checkedInformationLines(entry, options)),
];

function tailLines(tail: BookedTail, currency: string): string[] {
  const { closingBalance, availableBalance, forwardBalances = [], information = "" } = tail;
  return [
    balanceLine(":62F:", closingBalance, currency),
    ...(availableBalance ? [balanceLine(":64:", availableBalance, currency)] : []),
    ...forwardBalances.map((balance) => balanceLine(":65:", balance, currency)),
    ...tagLines(":86:", toPlainLines(information)),
    "-",
  ];
}

/** Writes the start of a message: the first has the opening balance, the others an intermediate balance. */
function messageHead({ account, reference, number }: BookedHead, page: number, balance: Balance): string[] {
  if (page > 99_999)
    throw new FormatError("too_long", tagPosition(":28C:"), "the statement has too many entries");
  return [
    `:20:${reference ?? noReference}`,
    `:25:${formatAccount(account)}`,
    `:28C:${String(number).padStart(5, "0")}/${String(page).padStart(5, "0")}`,
    balanceLine(page === 1 ? ":60F:" : ":60M:", balance, account.currency),
  ];
}

async function* writeMessages(statement: StatementSource, options: Mt940Options): AsyncGenerator<string> {
  const head = normaliseHead(statement);
  const { currency } = head.account;
  const tail = normaliseTail(statement, currency);
  const running = new RunningBalance(head.openingBalance, currency, tagPosition(":60F:"));
  let page = 1;
  let message = joinCrlf(messageHead(head, page, head.openingBalance));
  let lastDate = head.openingBalance.date;
  const finishMessage = () => {
    const balance = running.balanceOn(lastDate);
    const completeMessage = message + joinCrlf([balanceLine(":62M:", balance, currency), "-"]);
    message = joinCrlf(messageHead(head, ++page, balance));
    return completeMessage;
  };
  for await (const entry of statement.entries) {
    if (!isBooked(entry)) continue;
    const entryText = joinCrlf(entryLines(entry, head.account, options));
    if (message.length + entryText.length + messageEndLength > maxMessageLength) yield finishMessage();
    message += entryText;
    running.add(entry, tagPosition(":61:"));
    lastDate = entry.bookingDate;
  }
  running.check(tail.closingBalance, tagPosition(":62F:"));
  const end = joinCrlf(tailLines(tail, currency));
  if (message.length + end.length > maxMessageLength) yield finishMessage();
  yield message + end;
}

/**
 * Writes statements as MT940 messages, in ASCII with CRLF. A statement that exceeds the maximum length continues in further
 * messages with intermediate balances.
 *
 * Texts are adapted to the format (see `normaliseMt940`). Throws a FormatError for amounts with more decimals than their
 * currency or more than 15 characters, dates outside 1980 to 2079, and balances that do not add up.
 */
export async function* writeMt940(
  statements: Source<StatementSource>,
  options: Mt940Options = {},
): AsyncGenerator<string, void, void> {
  for await (const statement of statements) yield* writeMessages(statement, options);
}
