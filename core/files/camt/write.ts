/** Writes camt.053 (ISO 20022 bank to customer statement), versions .02 and .08. */
import { isDay } from "../../values/values";
import { addressElements } from "../address";
import { normaliseAmount, normaliseBalance, RunningBalance } from "../amount";
import { collapseWhitespace, removeWhitespace } from "../charset";
import { FormatError, type Position, quoteValue } from "../format-error";
import { isIban } from "../identifiers";
import {
  type Account,
  assertHead,
  type Balance,
  type Charge,
  type Counterparty,
  type CreditDebit,
  type Entry,
  isBooked,
  type Money,
  type PostalAddress,
  type RemittanceDocument,
  type Source,
  type StatementSource,
} from "../statement";
import { toSwiftCode } from "../transaction-codes";

export type CamtVersion = "02" | "08";

const positionOf = (field: string): Position => ({ format: "camt", field });

const element = (name: string, ...content: readonly string[]): string => {
  const inside = content.join("");
  return inside === "" ? "" : `<${name}>${inside}</${name}>`;
};

/** Characters that XML 1.0 excludes. */
const excluded = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const clean = (value: string): string => collapseWhitespace(value.replace(excluded, ""));
const escape = (value: string): string => value.replace(/[&<>]/g, (sign) => escapes[sign]!);

/** A text, cut to its field. */
function text(name: string, value: string | undefined, max: number): string {
  const cleaned = clean(value ?? "");
  const isLong = cleaned.length > max;
  return element(name, escape(isLong ? Array.from(cleaned).slice(0, max).join("").trimEnd() : cleaned));
}

const maxIdLength = 35;

/** An identification, which is left out if it is too long: a cut one is wrong. */
const identification = (name: string, value: string | undefined, max = maxIdLength): string =>
  clean(value ?? "").length > max ? "" : text(name, value, max);

const matching = (name: string, value: string | undefined, pattern: RegExp): string =>
  value !== undefined && pattern.test(value) ? element(name, value) : "";

/** A code of the standard, or else one of the bank's own. */
const codeOrOwn = (value: string | undefined, isStandard: (code: string) => boolean): string =>
  value !== undefined && isStandard(value) ? element("Cd", value) : identification("Prtry", value);

/** Splits a text into lines at spaces. A word that is longer than a line fills it and runs on in the next. */
function splitLines(value: string | undefined, max: number): string[] {
  const lines: string[] = [];
  for (let rest = clean(value ?? ""); rest !== "";) {
    const space = rest.length > max ? rest.lastIndexOf(" ", max - 1) : rest.length;
    const line = rest.slice(0, space > 0 ? space : max);
    lines.push(line);
    rest = rest.slice(line.length).trimStart();
  }
  return lines;
}

const linesOf = (name: string, value: string | undefined, max: number): string =>
  splitLines(value, max)
    .map((line) => element(name, escape(line)))
    .join("");

const day = (name: string, value: string, position: Position): string => {
  if (!isDay(value))
    throw new FormatError("invalid", position, `must be YYYY-MM-DD, not ${quoteValue(value)}`);
  return element(name, element("Dt", value));
};

function money(name: string, { amount, currency }: Money, field = name): string {
  const position = positionOf(field);
  if (!/^[A-Z]{3}$/.test(currency))
    throw new FormatError("invalid", position, "a currency must be three capital letters");
  const written = normaliseAmount(amount, currency, position);
  const [digits = "", decimals = ""] = written.split(".");
  if (digits.length + decimals.length > 18 || decimals.length > 5)
    throw new FormatError("too_long", position, `${amount} has more than 18 digits, or 5 decimals`);
  return `<${name} Ccy="${currency}">${written}</${name}>`;
}

const indicators: Readonly<Record<CreditDebit, string>> = { Credit: "CRDT", Debit: "DBIT" };
const indicator = (direction: CreditDebit | undefined): string =>
  element("CdtDbtInd", direction === undefined ? "" : indicators[direction]);

const balanceTypes = new Set("XPCD OPAV ITAV CLAV FWAV CLBD ITBD OPBD PRCD INFO".split(" "));

const balanceElement = (type: string, balance: Balance, currency: string): string =>
  element(
    "Bal",
    element(
      "Tp",
      element(
        "CdOrPrtry",
        codeOrOwn(type, (code) => balanceTypes.has(code)),
      ),
    ),
    money("Amt", { amount: balance.amount, currency }, "Bal"),
    indicator(balance.creditDebit),
    day("Dt", balance.date, positionOf("Bal")),
  );

/** Elements of an address that version .02 does not have. */
const laterAddressElements = new Set(["BldgNm", "Flr", "PstBx", "Room", "DstrctNm"]);
const addressLimits: Readonly<Record<string, number>> = {
  Dept: 70,
  StrtNm: 70,
  Flr: 70,
  Room: 70,
  BldgNb: 16,
  PstBx: 16,
  PstCd: 16,
};
const maxAddressLines = 7;

function addressElement(address: PostalAddress | undefined, version: CamtVersion): string {
  if (!address) return "";
  const fields = Object.entries(addressElements)
    .filter(([, name]) => version !== "02" || !laterAddressElements.has(name))
    .map(([field, name]) => {
      const value = address[field as keyof typeof addressElements];
      return name === "Ctry"
        ? matching(name, value, /^[A-Z]{2}$/)
        : text(name, value, addressLimits[name] ?? 35);
    });
  const lines = (address.lines ?? []).slice(0, maxAddressLines).map((line) => text("AdrLine", line, 70));
  return element("PstlAdr", ...fields, ...lines);
}

function accountId(number: string | undefined): string {
  const account = removeWhitespace(clean(number ?? ""));
  return element(
    "Id",
    isIban(account) ? element("IBAN", account) : element("Othr", identification("Id", account, 34)),
  );
}

const bicPattern = /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3})?$/;

function agentElement(
  name: string,
  { bic, bankName, bankAddress, bankCode }: Counterparty,
  version: CamtVersion,
): string {
  return element(
    name,
    element(
      "FinInstnId",
      matching(version === "02" ? "BIC" : "BICFI", bic, bicPattern),
      element("ClrSysMmbId", identification("MmbId", bankCode)),
      text("Nm", bankName, 140),
      addressElement(bankAddress, version),
    ),
  );
}

function partyIds({ id, lei }: Counterparty, creditorId: string | undefined, version: CamtVersion): string {
  const other = (value: string | undefined, scheme = "") => {
    const own = identification("Id", value);
    return own && element("Othr", own, scheme);
  };
  if (creditorId === undefined)
    return element(
      "OrgId",
      version === "02" ? "" : matching("LEI", lei, /^[A-Z0-9]{18}[0-9]{2}$/),
      other(id),
    );
  return element("PrvtId", other(id), other(creditorId, element("SchmeNm", element("Prtry", "SEPA"))));
}

/** The parties of a transaction, in the roles in which the reader finds them: the counterparty of a credit is the debtor. */
function partiesElement(
  {
    creditDebit,
    reversal = false,
    counterparty = {},
    ultimateCounterparty,
    creditorId,
  }: Pick<Entry, "creditDebit" | "reversal" | "counterparty" | "ultimateCounterparty" | "creditorId">,
  version: CamtVersion,
): string {
  const own = (creditDebit === "Credit") === reversal ? "Cdtr" : "Dbtr";
  const party = (name: string, ...content: readonly string[]) =>
    element(name, version === "02" ? content.join("") : element("Pty", ...content));
  const role = (name: "Dbtr" | "Cdtr") => {
    const isOwn = name === own;
    const facts = isOwn ? counterparty : {};
    return [
      party(
        name,
        text("Nm", facts.name, 140),
        addressElement(facts.address, version),
        element("Id", partyIds(facts, name === "Cdtr" ? creditorId : undefined, version)),
      ),
      element(`${name}Acct`, accountId(facts.account)),
      isOwn ? party(`Ultmt${name}`, text("Nm", ultimateCounterparty, 140)) : "",
    ];
  };
  return (
    element("RltdPties", ...role("Dbtr"), ...role("Cdtr")) +
    element("RltdAgts", agentElement(`${own}Agt`, counterparty, version))
  );
}

const documentTypes = new Set(
  "MSIN CNFA DNFA CINV CREN DEBN HIRI SBIN CMCN SOAC DISP BOLD VCHR AROI TSUT PUOR".split(" "),
);

const documentElement = ({ type, number, date, amount, creditNote }: RemittanceDocument): string =>
  element(
    "Strd",
    element(
      "RfrdDocInf",
      element(
        "Tp",
        element(
          "CdOrPrtry",
          codeOrOwn(type, (code) => documentTypes.has(code)),
        ),
      ),
      identification("Nb", number),
      date !== undefined && isDay(date) ? element("RltdDt", date) : "",
    ),
    element("RfrdDocAmt", amount ? money(creditNote ? "CdtNoteAmt" : "RmtdAmt", amount) : ""),
  );

function remittanceElement({ remittance, creditorReference, documents = [] }: Entry): string {
  const reference = identification("Ref", creditorReference);
  const type = element("Tp", element("CdOrPrtry", element("Cd", "SCOR")));
  return element(
    "RmtInf",
    linesOf("Ustrd", remittance, 140),
    reference && element("Strd", element("CdtrRefInf", type, reference)),
    ...documents.map(documentElement),
  );
}

/** The kind of a transaction: the code of the standard and the bank's own, of which an entry needs one. */
function codesElement(entry: Entry): string {
  const { bankTransactionCode = "", proprietaryCode, transactionCode } = entry;
  const [, domain, family, subFamily] =
    /^([A-Z0-9]{4})-([A-Z0-9]{4})-([A-Z0-9]{4})$/.exec(bankTransactionCode) ?? [];
  const standard =
    domain === undefined
      ? ""
      : element(
          "Domn",
          element("Cd", domain),
          element("Fmly", element("Cd", family!), element("SubFmlyCd", subFamily!)),
        );
  const isSwift = /^[FNS][A-Z0-9]{3}$/.test(transactionCode ?? "");
  const own = proprietaryCode ?? (standard === "" || isSwift ? toSwiftCode(entry) : undefined);
  return element("BkTxCd", standard, element("Prtry", identification("Cd", own)));
}

function amountsElement(entry: Entry, partAmount: string, { currency }: Account): string {
  const { instructedAmount, exchangeRate, exchange } = entry;
  const rate = matching("XchgRate", exchangeRate, /^(?=[\d.]{1,12}$)\d{1,11}(\.\d{1,10})?$/);
  const currencies =
    rate === ""
      ? ""
      : element(
          "CcyXchg",
          element("SrcCcy", exchange?.source ?? instructedAmount?.currency ?? currency),
          element("TrgtCcy", exchange?.target ?? ""),
          element("UnitCcy", exchange?.unit ?? ""),
          rate,
        );
  const hasOwnAmount = partAmount === "" && currencies !== "" && !instructedAmount;
  return element(
    "AmtDtls",
    instructedAmount ? element("InstdAmt", money("Amt", instructedAmount, "InstdAmt"), currencies) : "",
    partAmount && element("TxAmt", partAmount, instructedAmount ? "" : currencies),
    hasOwnAmount ? element("TxAmt", money("Amt", { amount: entry.amount, currency }), currencies) : "",
  );
}

function chargesElement({ charges, chargeRecords = [] }: Entry, version: CamtVersion): string {
  const facts = ({ creditDebit, included, type, ...amount }: Charge) => [
    money("Amt", amount, "Chrgs"),
    indicator(creditDebit),
    version === "02" || !included ? "" : element("ChrgInclInd", "true"),
    element("Tp", element("Prtry", identification("Id", type))),
  ];
  if (version === "02") {
    const records: readonly Charge[] = chargeRecords.length === 0 && charges ? [charges] : chargeRecords;
    return records.map((record) => element("Chrgs", ...facts(record))).join("");
  }
  return element(
    "Chrgs",
    charges ? money("TtlChrgsAndTaxAmt", charges, "Chrgs") : "",
    ...chargeRecords.map((record) => element("Rcrd", ...facts(record))),
  );
}

/** The description of an entry, or of a part of it, which has an amount of its own. */
function transactionElement(
  entry: Entry,
  account: Account,
  version: CamtVersion,
  part: "whole" | "part",
): string {
  const { returnReason, purpose } = entry;
  const isPart = part === "part";
  const amount = isPart ? money("Amt", { amount: entry.amount, currency: account.currency }, "TxDtls") : "";
  return element(
    "TxDtls",
    element(
      "Refs",
      identification("MsgId", entry.messageId),
      isPart ? identification("AcctSvcrRef", entry.bankReference) : "",
      identification("PmtInfId", entry.paymentInformationId),
      identification("InstrId", entry.customerReference),
      identification("EndToEndId", entry.endToEndId),
      version === "02"
        ? ""
        : matching(
            "UETR",
            entry.uetr,
            /^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/,
          ),
      identification("TxId", entry.transactionId),
      identification("MndtId", entry.mandateId),
    ),
    version === "02" ? "" : amount,
    version === "02" || !isPart ? "" : indicator(entry.creditDebit),
    amountsElement(entry, version === "02" ? amount : "", account),
    isPart ? codesElement(entry) : "",
    chargesElement(entry, version),
    partiesElement(entry, version),
    element(
      "Purp",
      codeOrOwn(purpose, (code) => /^[A-Z0-9]{1,4}$/.test(code)),
    ),
    remittanceElement(entry),
    element(
      "RtrInf",
      element(
        "Rsn",
        codeOrOwn(returnReason, (code) => /^[A-Z0-9]{1,4}$/.test(code)),
      ),
      linesOf("AddtlInf", entry.returnText, 105),
    ),
    isPart ? text("AddtlTxInf", entry.additionalInformation, 500) : "",
  );
}

/** Code of each status. Version .02 does not know bookings that the bank announces: they are pending. */
const statusCodes = { Pending: "PDNG", Future: "FUTR", Information: "INFO" } as const;

function statusElement({ status }: Entry, version: CamtVersion): string {
  const code = status === undefined ? "BOOK" : statusCodes[status];
  return element("Sts", version === "02" ? (code === "FUTR" ? "PDNG" : code) : element("Cd", code));
}

function batchElement({ batch }: Entry): string {
  if (!batch) return "";
  return element(
    "Btch",
    identification("MsgId", batch.messageId),
    identification("PmtInfId", batch.paymentInformationId),
    element("NbOfTxs", batch.count === undefined ? "" : String(batch.count)),
    batch.amount ? money("TtlAmt", batch.amount) : "",
  );
}

function entryElement(entry: Entry, account: Account, version: CamtVersion): string {
  const { details = [], amount, creditDebit, bookingDate, valueDate } = entry;
  const position = positionOf("Ntry");
  // Parts have no direction of their own in version .02.
  const isHeld = version !== "02" || details.every((each) => each.creditDebit === creditDebit);
  const parts = details.length > 1 && isHeld ? details : [];
  return element(
    "Ntry",
    money("Amt", { amount, currency: account.currency }, "Ntry"),
    indicator(creditDebit),
    element("RvslInd", entry.reversal ? "true" : ""),
    statusElement(entry, version),
    day("BookgDt", bookingDate, position),
    day("ValDt", valueDate, position),
    identification("AcctSvcrRef", entry.bankReference),
    codesElement(entry),
    parts.length > 0 ? amountsElement(entry, "", account) + chargesElement(entry, version) : "",
    element(
      "NtryDtls",
      batchElement(entry),
      ...(parts.length > 0
        ? parts.map((each) =>
            // A reversal reverses each of its parts.
            transactionElement(
              { ...each, ...(entry.reversal && { reversal: true }) },
              account,
              version,
              "part",
            ),
          )
        : [transactionElement(entry, account, version, "whole")]),
    ),
    text("AddtlNtryInf", entry.additionalInformation, 500),
  );
}

const kindMessage = "camt.053 holds statements of a day, no interim reports and no notifications";

async function* writeStatement(statement: StatementSource, version: CamtVersion): AsyncGenerator<string> {
  const { account, reference, number, kind } = statement;
  const { currency } = account;
  const position = positionOf("Acct");
  if (kind !== undefined) throw new FormatError("invalid", positionOf("Stmt"), kindMessage);
  assertHead(statement, { account: position, currency: position, number: positionOf("ElctrncSeqNb") });
  const [opening, closing] = [statement.openingBalance, statement.closingBalance].map((each) =>
    normaliseBalance(each, currency, positionOf("Bal")),
  ) as [Balance, Balance];
  const { availableBalance, forwardBalances = [], otherBalances = [] } = statement;
  yield (
    "<Stmt>" +
      (identification("Id", reference) || element("Id", String(number))) +
      element("ElctrncSeqNb", number === 0 ? "" : String(number)) +
      element("CreDtTm", `${closing.date}T00:00:00`) +
      element(
        "Acct",
        accountId(account.number),
        element("Ccy", currency),
        element("Ownr", text("Nm", account.holder, 140)),
        agentElement("Svcr", account.bic === undefined ? {} : { bic: account.bic }, version),
      ) +
      [
        balanceElement("OPBD", opening, currency),
        balanceElement("CLBD", closing, currency),
        availableBalance ? balanceElement("CLAV", availableBalance, currency) : "",
        ...forwardBalances.map((balance) => balanceElement("FWAV", balance, currency)),
        ...otherBalances.map((balance) => balanceElement(balance.type, balance, balance.currency)),
      ].join("") +
      "\n"
  );
  const running = new RunningBalance(opening, currency, positionOf("Bal"));
  for await (const entry of statement.entries) {
    const written = entryElement(entry, account, version);
    if (isBooked(entry)) running.add(entry, positionOf("Ntry"));
    yield `${written}\n`;
  }
  running.check(closing, positionOf("Bal"));
  yield `${text("AddtlStmtInf", statement.information, 500)}</Stmt>`;
}

/**
 * Writes statements as camt.053.001.08, or .02. Texts are cut to their fields, identifications that are too long are left out,
 * and what the version has no element for is dropped.
 *
 * Throws a FormatError with the element for a statement without booked balances, and for sums that do not add up.
 */
export async function* writeCamt(
  statements: Source<StatementSource>,
  version: CamtVersion = "08",
): AsyncGenerator<string, void, void> {
  let isFirst = true;
  for await (const statement of statements) {
    if (isFirst) {
      const id = identification("MsgId", statement.reference) || element("MsgId", "1");
      const created = element("CreDtTm", `${statement.closingBalance?.date ?? ""}T00:00:00`);
      yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n' +
          `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt>` +
          `${element("GrpHdr", id, created)}\n`
      );
    }
    isFirst = false;
    yield* writeStatement(statement, version);
  }
  if (!isFirst) yield "</BkToCstmrStmt></Document>\n";
}
