/** Writing MT940, the SWIFT customer statement message. */
import { minorUnits } from "../../schema/currency";
import { decimal, RunningBalance } from "../amount";
import { yymmdd } from "../dates";
import { FormatError, type Place } from "../error";
import type {
  Account,
  Balance,
  Entry,
  Source,
  StatementHead,
  StatementSource,
  StatementTail,
} from "../statement";
import { crlfText } from "../text";
import { plainLines } from "./information";
import {
  accountText,
  checkedInformation,
  inTag,
  noReference,
  normalHead,
  normalLine,
  normalTail,
  type StatementLine,
} from "./fields";
import type { Mt940Options } from "./options";

/** Characters a message may have. */
const longestMessage = 2000;
/** What the end of a message that is continued takes: its balance and the dash. */
const roomForEnd = 40;

/** An amount with a comma, which is there also without decimals. */
function commaAmount(amount: string, currency: string, place: Place): string {
  const [units = "", decimals = ""] = decimal(amount, place).toFixed().split(".");
  if (decimals.length > minorUnits(currency))
    throw new FormatError("invalid", place, `${amount} has more decimals than ${currency} has`);
  const text = `${units},${decimals.padEnd(minorUnits(currency), "0")}`;
  if (text.length > 15) throw new FormatError("too_long", place, `${amount} has more than 15 characters`);
  return text;
}

const mark = ({ creditDebit }: Pick<Balance, "creditDebit">) => (creditDebit === "Debit" ? "D" : "C");

function balanceLine(tag: string, balance: Balance, currency: string): string {
  const { amount, date } = balance;
  return `${tag}${mark(balance)}${yymmdd(date, inTag(tag))}${currency}${commaAmount(amount, currency, inTag(tag))}`;
}

/** A reversal of a credit is a debit, and is marked RC. */
const reversalMark = { C: "RD", D: "RC" } as const;

function statementLine(line: StatementLine, currency: string): string[] {
  const place = inTag(":61:");
  const { bookingDate, valueDate, amount, bankReference, additionalInformation } = line;
  const first = [
    ":61:",
    yymmdd(valueDate, place),
    yymmdd(bookingDate, place).slice(2),
    line.reversal ? reversalMark[mark(line)] : mark(line),
    commaAmount(amount, currency, place),
    line.transactionCode,
    line.customerReference ?? noReference,
    bankReference && `//${bankReference}`,
  ].join("");
  return additionalInformation ? [first, additionalInformation] : [first];
}

const tagged = (tag: string, [first, ...others]: readonly string[]) =>
  first === undefined ? [] : [tag + first, ...others];

const entryLines = (entry: Entry, { currency }: Account, options: Mt940Options): string[] => [
  ...statementLine(normalLine(entry, currency), currency),
  ...tagged(":86:", checkedInformation(entry, options)),
];

function tailLines(tail: StatementTail, currency: string): string[] {
  const { closingBalance, availableBalance, forwardBalances = [], information = "" } = tail;
  return [
    balanceLine(":62F:", closingBalance, currency),
    ...(availableBalance ? [balanceLine(":64:", availableBalance, currency)] : []),
    ...forwardBalances.map((balance) => balanceLine(":65:", balance, currency)),
    ...tagged(":86:", plainLines(information)),
    "-",
  ];
}

/** The beginning of each message of a statement: the first has its opening balance, the others an intermediate one. */
function messageHead(
  { account, reference, number }: StatementHead,
  page: number,
  balance: Balance,
): string[] {
  if (page > 99_999) throw new FormatError("too_long", inTag(":28C:"), "the statement has too many entries");
  return [
    `:20:${reference ?? noReference}`,
    `:25:${accountText(account)}`,
    `:28C:${String(number).padStart(5, "0")}/${String(page).padStart(5, "0")}`,
    balanceLine(page === 1 ? ":60F:" : ":60M:", balance, account.currency),
  ];
}

async function* messagesOf(statement: StatementSource, options: Mt940Options): AsyncGenerator<string> {
  const head = normalHead(statement);
  const { currency } = head.account;
  const tail = normalTail(statement, currency);
  const running = new RunningBalance(head.openingBalance, currency, inTag(":60F:"));
  let page = 1;
  let message = crlfText(messageHead(head, page, head.openingBalance));
  let lastDate = head.openingBalance.date;
  const continued = () => {
    const balance = running.on(lastDate);
    const full = message + crlfText([balanceLine(":62M:", balance, currency), "-"]);
    message = crlfText(messageHead(head, ++page, balance));
    return full;
  };
  for await (const entry of statement.entries) {
    const more = crlfText(entryLines(entry, head.account, options));
    if (message.length + more.length + roomForEnd > longestMessage) yield continued();
    message += more;
    running.add(entry, inTag(":61:"));
    lastDate = entry.bookingDate;
  }
  running.check(tail.closingBalance, inTag(":62F:"));
  const end = crlfText(tailLines(tail, currency));
  if (message.length + end.length > longestMessage) yield continued();
  yield message + end;
}

/**
 * Writes statements as MT940, message by message, in ASCII with CRLF. A statement that is longer than a message may be is
 * continued in further messages with intermediate balances.
 *
 * Texts are made to fit (see `normaliseMt940`). Throws a FormatError for what cannot be: amounts with more decimals than
 * their currency or more than 15 characters, dates outside 1980 to 2079, balances that do not add up.
 */
export async function* writeMt940(
  statements: Source<StatementSource>,
  options: Mt940Options = {},
): AsyncGenerator<string, void, void> {
  for await (const statement of statements) yield* messagesOf(statement, options);
}
