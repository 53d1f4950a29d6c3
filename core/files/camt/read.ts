/** Reads camt.052, .053 and .054 (ISO 20022 bank to customer reports, statements and notifications), versions .02 to .13. */
import { Big } from "big.js";
import { isDay } from "../../values/values";
import { toBalance } from "../amount";
import { FormatError, type ReadOptions } from "../format-error";
import {
  collectStatements,
  createBalanceCheck,
  type Emit,
  reportFault,
  type StatementPart,
} from "../statement-parts";
import {
  type Account,
  type Balance,
  type Counterparty,
  type DraftOf,
  type Statement,
  type StatementHead,
  type StatementKind,
  type StatementTail,
  type TypedBalance,
  withoutUndefined,
  unknownAccount,
} from "../statement";
import type { TextSource } from "../text-lines";
import { childOf, childrenOf, elementPosition, onlyChild, parseXml, textOf, type XmlElement } from "../xml";
import { readEntry } from "./entry";
import { accountNumberOf, putAgent } from "./parties";
import { attemptWith, parseAmount, parseDay, parseIndicator, type Report } from "./values";

/** Element of a statement by element of its message. */
const messages: ReadonlyMap<string, { readonly element: string; readonly kind?: StatementKind }> = new Map([
  ["BkToCstmrStmt", { element: "Stmt" }],
  ["BkToCstmrAcctRpt", { element: "Rpt", kind: "Interim" }],
  ["BkToCstmrDbtCdtNtfctn", { element: "Ntfctn", kind: "Notification" }],
]);

const bookedBalances = new Set(["OPBD", "CLBD"]);

function readBalance(element: XmlElement): TypedBalance {
  const { amount, currency } = parseAmount(element);
  const type =
    textOf(element, "Tp", "CdOrPrtry", "Cd") ?? textOf(element, "Tp", "CdOrPrtry", "Prtry") ?? "unknown";
  const date = parseDay(element, "Dt");
  if (date === undefined)
    throw new FormatError("missing", elementPosition("camt", element, "Dt"), "the balance has no date");
  const signed = parseIndicator(element) === "Debit" ? new Big(amount).neg() : new Big(amount);
  return { type, currency, ...toBalance(signed, date, currency) };
}

/** Reads the sequence number; 0 if there is none, or one that is not exact as a number. */
function readNumber(statement: XmlElement): number {
  const number = Number(textOf(statement, "ElctrncSeqNb") ?? textOf(statement, "LglSeqNb") ?? 0);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
}

const withoutType = ({ creditDebit, amount, date }: TypedBalance): Balance => ({ creditDebit, amount, date });

/** A statement whose entries are being read. */
class OpenStatement {
  readonly #account: Account;
  readonly #created: string;
  #head: StatementHead | undefined;
  #count = 0;
  #credits = new Big(0);
  #debits = new Big(0);

  constructor(
    readonly element: XmlElement,
    readonly kind: StatementKind | undefined,
    header: XmlElement | undefined,
    readonly report: Report,
    firstEntry?: XmlElement,
  ) {
    const created = textOf(element, "CreDtTm") ?? textOf(header, "CreDtTm") ?? "";
    this.#created = isDay(created.slice(0, 10)) ? created.slice(0, 10) : "1970-01-01";
    const account = attemptWith(report, () => onlyChild("camt", element, "Acct")) ?? childOf(element, "Acct");
    const firstAmount = [...childrenOf(element, "Bal"), ...childrenOf(element, "Ntry"), firstEntry]
      .map((each) => childOf(each, "Amt")?.attributes.Ccy)
      .find((currency) => currency !== undefined);
    const bank: DraftOf<Counterparty> = {};
    putAgent(bank, childOf(account, "Svcr"));
    this.#account = withoutUndefined<Account>({
      number: accountNumberOf(account) ?? textOf(account, "Id", "PrtryAcct", "Id") ?? "",
      currency: textOf(account, "Ccy") ?? firstAmount ?? unknownAccount.currency,
      bic: bank.bic,
      holder: textOf(account, "Ownr", "Nm") ?? textOf(account, "Nm"),
    });
    if (this.#account.number === "" || !/^[A-Z]{3}$/.test(this.#account.currency))
      report(
        new FormatError(
          "invalid",
          elementPosition("camt", element, "Acct"),
          "the account has no number or no currency",
        ),
      );
  }

  open(): StatementPart {
    const { element, kind } = this;
    this.#head = withoutUndefined<StatementHead>({
      kind,
      account: this.#account,
      reference: textOf(element, "Id"),
      number: readNumber(element),
      openingBalance: this.#openingBalance(this.#balances(() => {})),
    });
    return { kind: "opening", opening: this.#head, line: element.line };
  }

  #balances(report: Report): TypedBalance[] {
    return childrenOf(this.element, "Bal").flatMap((each) => {
      const balance = attemptWith(report, () => readBalance(each));
      if (!balance) return [];
      if (balance.currency === this.#account.currency || !bookedBalances.has(balance.type)) return [balance];
      report(
        new FormatError(
          "invalid",
          elementPosition("camt", each, "Amt"),
          `the account is in ${this.#account.currency}, but the balance is in ${balance.currency}`,
        ),
      );
      return [];
    });
  }

  #openingBalance(balances: readonly TypedBalance[]) {
    const found =
      balances.find(({ type }) => type === "OPBD") ??
      balances.find(({ type, currency }) => type === "PRCD" && currency === this.#account.currency);
    return found && withoutType(found);
  }

  entry(element: XmlElement): StatementPart | undefined {
    this.#count += 1;
    const entry = attemptWith(this.report, () =>
      readEntry(element, this.#account, this.#created, this.report),
    );
    if (!entry) return undefined;
    if (entry.creditDebit === "Credit") this.#credits = this.#credits.plus(entry.amount);
    else this.#debits = this.#debits.plus(entry.amount);
    return { kind: "entry", entry, line: element.line };
  }

  close(): StatementPart {
    const { element } = this;
    const balances = this.#balances(this.report);
    const ofType = (wanted: string) => balances.filter(({ type }) => type === wanted);
    for (const type of bookedBalances)
      if (ofType(type).length > 1)
        this.report(
          new FormatError("invalid", elementPosition("camt", element, "Bal"), `two balances are ${type}`),
        );
    const openingBalance = this.#openingBalance(balances);
    const [closingBalance, availableBalance] = [ofType("CLBD")[0], ofType("CLAV")[0]].map(
      (found) => found && withoutType(found),
    );
    const forward = ofType("FWAV").map(withoutType);
    const other = balances.filter(
      ({ type }) => !bookedBalances.has(type) && type !== "CLAV" && type !== "FWAV",
    );
    this.#checkSummary();
    const closing = withoutUndefined<StatementTail & Pick<StatementHead, "openingBalance">>({
      openingBalance: this.#head?.openingBalance ? undefined : openingBalance,
      closingBalance,
      availableBalance,
      forwardBalances: forward.length > 0 ? forward : undefined,
      otherBalances: other.length > 0 ? other : undefined,
      information:
        textOf(element, "AddtlStmtInf") ??
        textOf(element, "AddtlRptInf") ??
        textOf(element, "AddtlNtfctnInf"),
    });
    return { kind: "closing", closing, line: childOf(element, "Bal")?.line ?? element.line };
  }

  /** Compares the totals that the bank states with the entries. */
  #checkSummary(): void {
    const summary = childOf(this.element, "TxsSummry");
    // Some banks state the net sum of all entries, and give the sum of debits a minus.
    const stated = [
      ["TtlNtries", [this.#credits.plus(this.#debits), this.#credits.minus(this.#debits)], this.#count],
      ["TtlCdtNtries", [this.#credits], undefined],
      ["TtlDbtNtries", [this.#debits, this.#debits.neg()], undefined],
    ] as const;
    for (const [name, sums, count] of stated) {
      const total = childOf(summary, name);
      const [statedCount, statedSum] = [textOf(total, "NbOfNtries"), textOf(total, "Sum")];
      const isWrong =
        (count !== undefined && statedCount !== undefined && Number(statedCount) !== count) ||
        (statedSum !== undefined &&
          !(
            /^-?(\d{1,24}(\.\d{0,17})?|\.\d{1,17})$/.test(statedSum) && sums.some((sum) => sum.eq(statedSum))
          ));
      if (total && isWrong)
        this.report(
          new FormatError(
            "control_sum",
            elementPosition("camt", total),
            `the entries ${count === undefined ? "of this direction" : `are ${count} and`} give ${sums[0].toFixed()}, ` +
              `but the total says ${statedCount ?? "nothing"} and ${statedSum ?? "nothing"}`,
          ),
        );
    }
  }
}

/** Reads camt in parts. Throws like `readCamt`. */
export async function* readCamtParts(
  source: TextSource,
  options: ReadOptions = {},
): AsyncGenerator<StatementPart, void, void> {
  const check = createBalanceCheck(
    { format: "camt", balanceFields: { opening: "Bal", entry: "Ntry", closing: "Bal" } },
    options,
  );
  const parts: StatementPart[] = [];
  const push: Emit = (part) => void parts.push(part);
  const report: Report = (error, severity) => {
    push(reportFault(error, options, severity));
  };
  let statement: OpenStatement | undefined;
  let isRecognised = false;
  let rootName = "";

  const start = (
    element: XmlElement,
    message: XmlElement,
    kind: StatementKind | undefined,
    firstEntry?: XmlElement,
  ): OpenStatement | undefined =>
    attemptWith(report, () => {
      const opened = new OpenStatement(element, kind, childOf(message, "GrpHdr"), report, firstEntry);
      check(opened.open(), push);
      return opened;
    });
  const addEntry = (element: XmlElement) => {
    const part = statement?.entry(element);
    if (part) check(part, push);
  };
  const finish = () => {
    if (statement) check(statement.close(), push);
    statement = undefined;
  };

  const xml = parseXml(source, {
    format: "camt",
    close: (element, parent, grandparent) => {
      if (!grandparent) rootName = element.name;
      else if (grandparent.name === "") rootName ||= parent.name;
      const message = messages.get(parent.name);
      if (messages.has(element.name)) isRecognised = true;
      if (message?.element === element.name) {
        statement ??= start(element, parent, message.kind);
        for (const entry of childrenOf(element, "Ntry")) addEntry(entry);
        finish();
        return false;
      }
      if (element.name !== "Ntry" || !grandparent) return true;
      const ofStatement = messages.get(grandparent.name);
      if (ofStatement?.element !== parent.name) return true;
      // An entry that precedes the account waits for it.
      if (!statement && !childOf(parent, "Acct")) return true;
      statement ??= start(parent, grandparent, ofStatement.kind, element);
      addEntry(element);
      return false;
    },
  });
  const drain = () => parts.splice(0);
  try {
    for await (const _ of xml) for (const part of drain()) yield part;
  } catch (error) {
    yield* drain();
    if (!isRecognised && !statement && error instanceof FormatError && error.code === "invalid") throw error;
    yield reportFault(error, options);
  }
  if (rootName && !isRecognised && !statement)
    throw new FormatError(
      "unrecognised",
      { format: "camt", field: rootName, line: 1 },
      "the file has no camt.052, camt.053 or camt.054 message",
    );
  try {
    finish();
  } finally {
    yield* drain();
  }
}

/**
 * Reads the statements of a camt.052, .053 or .054 text or text stream, whatever its version and namespace prefix.
 *
 * Throws a FormatError with line and element for malformed text and for sums that do not add up: opening balance and entries,
 * an entry and its details, stated totals.
 */
export const readCamt = (source: TextSource, options?: ReadOptions): AsyncGenerator<Statement, void, void> =>
  collectStatements(readCamtParts(source, options));
