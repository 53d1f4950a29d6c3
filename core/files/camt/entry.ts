/** Reads an entry of a camt message with its details. */
import { Big } from "big.js";
import { FormatError, quoteValue } from "../format-error";
import {
  type Account,
  type Batch,
  type Charge,
  type CreditDebit,
  type DraftOf,
  type Entry,
  type EntryStatus,
  type Exchange,
  type Money,
  put,
  type RemittanceDocument,
  signedAmount,
  withoutUndefined,
} from "../statement";
import { childOf, childrenOf, elementPosition, textOf, type XmlElement } from "../xml";
import { partiesOf } from "./parties";
import {
  attemptWith,
  decimalOf,
  moneyOf,
  parseAmount,
  parseDay,
  parseIndicator,
  type Report,
} from "./values";

type Draft<T> = { -readonly [F in keyof T]: T[F] | undefined };

type EntryDraft = DraftOf<Entry>;

const statuses: Readonly<Record<string, EntryStatus | "Booked">> = {
  BOOK: "Booked",
  PDNG: "Pending",
  INFO: "Information",
  FUTR: "Future",
};

function readStatus(entry: XmlElement, report: Report): EntryStatus | undefined {
  const code = textOf(entry, "Sts", "Cd") ?? textOf(entry, "Sts", "Prtry") ?? textOf(entry, "Sts");
  const status = statuses[code ?? "BOOK"];
  if (code !== undefined && status) return status === "Booked" ? undefined : status;
  const position = elementPosition("camt", entry, "Sts");
  if (code === undefined)
    report(new FormatError("missing", position, "the entry has no status and is taken as booked"), "warning");
  else
    report(
      new FormatError("invalid", position, `expected BOOK, PDNG, INFO or FUTR, found ${quoteValue(code)}`),
    );
  return undefined;
}

/** Characters of a line of remittance information. A full line runs on in the next. */
const remittanceLine = 140;

function joinRemittance(lines: readonly string[]): string | undefined {
  let joined = "";
  for (const [index, line] of lines.entries()) {
    const isFull = index > 0 && lines[index - 1]!.length === remittanceLine;
    joined += index === 0 || isFull ? line : ` ${line}`;
  }
  return joined.trim() || undefined;
}

const codeOf = (element: XmlElement | undefined, ...path: readonly string[]): string | undefined => {
  const found = childOf(element, ...path, "CdOrPrtry");
  return textOf(found, "Cd") ?? textOf(found, "Prtry");
};

/** Amounts of a settled document, the paid one first. */
const documentAmounts = ["RmtdAmt", "CdtNoteAmt", "DuePyblAmt"] as const;

function documentAmountOf(structured: XmlElement): Pick<Draft<RemittanceDocument>, "amount" | "creditNote"> {
  const amounts = childOf(structured, "RfrdDocAmt");
  const name = documentAmounts.find((each) => childOf(amounts, each));
  if (name) return { amount: moneyOf(amounts, name), creditNote: name === "CdtNoteAmt" || undefined };
  const typed = childrenOf(amounts, "RmtAmtAndTp")[0];
  return { amount: moneyOf(typed, "Amt"), creditNote: codeOf(typed, "Tp") === "CRED" || undefined };
}

function documentsOf(structured: XmlElement): RemittanceDocument[] {
  const documents = childrenOf(structured, "RfrdDocInf");
  const amount = documentAmountOf(structured);
  const all = documents.map((document) => ({
    type: codeOf(document, "Tp"),
    number: textOf(document, "Nb"),
    date: textOf(document, "RltdDt", "Dt") ?? textOf(document, "RltdDt"),
  }));
  // The amount of several documents belongs to none of them alone.
  if (all.length === 1) return [withoutUndefined<RemittanceDocument>({ ...all[0]!, ...amount })];
  const single = all.map((document) => withoutUndefined<RemittanceDocument>(document));
  return amount.amount ? [...single, withoutUndefined<RemittanceDocument>(amount)] : single;
}

function putRemittance(draft: EntryDraft, transaction: XmlElement): void {
  const information = childOf(transaction, "RmtInf");
  if (!information) return;
  const structured = childrenOf(information, "Strd");
  if (structured.length > 0) putStructured(draft, structured);
  const lines = [
    ...childrenOf(information, "Ustrd"),
    ...structured.flatMap((each) => childrenOf(each, "AddtlRmtInf")),
  ].map(({ text }) => text.trim());
  put(draft, "remittance", joinRemittance(lines.filter((line) => line !== "")));
}

function putStructured(draft: EntryDraft, structured: readonly XmlElement[]): void {
  const references = structured.flatMap((each) => textOf(each, "CdtrRefInf", "Ref") ?? []);
  const documents = [
    ...structured.flatMap(documentsOf),
    ...references.slice(1).map((number) => ({ type: "SCOR", number })),
  ];
  put(draft, "creditorReference", references[0]);
  if (documents.length > 0) put(draft, "documents", documents);
}

/** Reads charges, which versions from .03 on put into records. */
function putCharges(draft: EntryDraft, element: XmlElement): void {
  const blocks = childrenOf(element, "Chrgs");
  if (blocks.length === 0) return;
  const records = blocks
    .flatMap((block) => (childOf(block, "Rcrd") ? childrenOf(block, "Rcrd") : [block]))
    .filter((record) => childOf(record, "Amt"))
    .map((record) =>
      withoutUndefined<Charge>({
        ...parseAmount(record),
        creditDebit: childOf(record, "CdtDbtInd") && parseIndicator(record),
        included: isTrue(textOf(record, "ChrgInclInd")) || undefined,
        type: textOf(record, "Tp", "Cd") ?? textOf(record, "Tp", "Prtry", "Id"),
      }),
    );
  const [first, ...others] = records;
  const stated = blocks.length === 1 ? moneyOf(blocks[0], "TtlChrgsAndTaxAmt") : undefined;
  const single =
    first && others.length === 0 ? { amount: first.amount, currency: first.currency } : undefined;
  put(draft, "charges", stated ?? single);
  if (others.length > 0 || (first && Object.keys(first).length > 2)) put(draft, "chargeRecords", records);
}

const isTrue = (text: string | undefined) => text === "true" || text === "1";

function putAmounts(draft: EntryDraft, element: XmlElement): void {
  const details = childOf(element, "AmtDtls");
  if (!details) return;
  const currencies = details.children.flatMap((each) => childrenOf(each, "CcyXchg"))[0];
  const exchange = withoutUndefined<Exchange>({
    source: textOf(currencies, "SrcCcy"),
    target: textOf(currencies, "TrgtCcy"),
    unit: textOf(currencies, "UnitCcy"),
  });
  put(draft, "instructedAmount", moneyOf(details, "InstdAmt", "Amt"));
  put(draft, "exchangeRate", decimalOf(currencies, "XchgRate"));
  if (Object.keys(exchange).length > 0) put(draft, "exchange", exchange);
}

/** Reads the codes of the kind of transaction. Banks put a SWIFT type before a code of their own: `NTRF+166+9327`. */
function putCodes(draft: EntryDraft, element: XmlElement): void {
  const code = childOf(element, "BkTxCd");
  if (!code) return;
  const domain = childOf(code, "Domn");
  const family = childOf(domain, "Fmly");
  const proprietary = textOf(code, "Prtry", "Cd");
  const codes = [textOf(domain, "Cd"), textOf(family, "Cd"), textOf(family, "SubFmlyCd")];
  const [swift] = /^[FNS][A-Z0-9]{3}(?=$|\+)/.exec(proprietary ?? "") ?? [];
  put(draft, "transactionCode", swift);
  put(draft, "bankTransactionCode", codes.filter((each) => each !== undefined).join("-") || undefined);
  if (proprietary !== swift) put(draft, "proprietaryCode", proprietary);
}

/** Reads what an entry and its details have in common. */
function putCommon(draft: EntryDraft, element: XmlElement): void {
  putCodes(draft, element);
  putAmounts(draft, element);
  putCharges(draft, element);
  put(draft, "additionalInformation", textOf(element, "AddtlTxInf") ?? textOf(element, "AddtlNtryInf"));
}

const references = {
  bankReference: "AcctSvcrRef",
  customerReference: "InstrId",
  endToEndId: "EndToEndId",
  mandateId: "MndtId",
  messageId: "MsgId",
  paymentInformationId: "PmtInfId",
  transactionId: "TxId",
  uetr: "UETR",
} as const satisfies Partial<Record<keyof Entry, string>>;

const referenceElements = Object.entries(references) as [keyof typeof references, string][];
const notProvided = "NOTPROVIDED";

/** Reads the description of a transaction. */
function putTransaction(
  draft: EntryDraft,
  element: XmlElement,
  direction: Pick<Entry, "creditDebit" | "reversal">,
  account: Account,
): void {
  putCommon(draft, element);
  const refs = childOf(element, "Refs");
  if (refs)
    for (const [field, name] of referenceElements) {
      const text = textOf(refs, name);
      if (text !== notProvided) put(draft, field, text);
    }
  const { counterparty, ultimateCounterparty, creditorId } = partiesOf(element, direction, account);
  put(draft, "counterparty", counterparty);
  put(draft, "ultimateCounterparty", ultimateCounterparty);
  put(draft, "creditorId", creditorId);
  putRemittance(draft, element);
  const purpose = childOf(element, "Purp");
  if (purpose) put(draft, "purpose", textOf(purpose, "Cd") ?? textOf(purpose, "Prtry"));
  const returned = childOf(element, "RtrInf");
  if (!returned) return;
  const texts = childrenOf(returned, "AddtlInf").map(({ text }) => text.trim());
  put(draft, "returnReason", textOf(returned, "Rsn", "Cd") ?? textOf(returned, "Rsn", "Prtry"));
  put(draft, "returnText", texts.join(" ") || undefined);
}

/** The amount of a detail; undefined if it has none in the currency of the account. */
function detailAmount(detail: XmlElement, { currency }: Account): Money | undefined {
  const own = childOf(detail, "Amt") ? parseAmount(detail) : moneyOf(detail, "AmtDtls", "TxAmt", "Amt");
  return own?.currency === currency ? own : undefined;
}

/** A detail of an entry before its dates are known. */
interface Detail {
  readonly creditDebit: CreditDebit;
  readonly amount: string | undefined;
  readonly description: Partial<Entry>;
}

type Amounted = Pick<Entry, "amount" | "creditDebit">;

const signedCharges = ({ charges, chargeRecords }: Partial<Entry>, currency: string): Big[] =>
  (chargeRecords ?? (charges ? [charges as Charge] : []))
    .filter((charge) => charge.currency === currency)
    .map((charge) => new Big(signedAmount({ creditDebit: "Debit", ...charge })));

/** Throws if the details do not give the entry. The difference may be charges. */
function checkDetails(
  element: XmlElement,
  entry: Amounted,
  own: Partial<Entry>,
  details: readonly Detail[],
  { currency }: Account,
): void {
  const [only] = details;
  if (details.length === 1 && only!.amount === entry.amount && only!.creditDebit === entry.creditDebit)
    return;
  const sum = details.reduce(
    (before, { creditDebit, amount }) => before.plus(signedAmount({ creditDebit, amount: amount! })),
    new Big(0),
  );
  const difference = new Big(signedAmount(entry)).minus(sum);
  const charges = [own, ...details.map(({ description }) => description)]
    .flatMap((each) => signedCharges(each, currency))
    .reduce((before, charge) => before.plus(charge), new Big(0));
  if (difference.eq(0) || (!charges.eq(0) && difference.eq(charges))) return;
  throw new FormatError(
    "control_sum",
    elementPosition("camt", element, "NtryDtls"),
    `the details give ${sum.toFixed()}, but the entry is ${signedAmount(entry)} ${currency}`,
  );
}

function batchOf(details: readonly XmlElement[]): Batch | undefined {
  const batches = details.flatMap((each) => childrenOf(each, "Btch"));
  const [batch] = batches;
  if (!batch || batches.length > 1) return undefined;
  const count = Number(textOf(batch, "NbOfTxs") ?? Number.NaN);
  return withoutUndefined<Batch>({
    messageId: textOf(batch, "MsgId"),
    paymentInformationId: textOf(batch, "PmtInfId"),
    count: Number.isSafeInteger(count) ? count : undefined,
    amount: moneyOf(batch, "TtlAmt"),
  });
}

/** Reads the dates, of which one may be missing. An entry without dates has that of its settlement, or of the message. */
function datesOf(
  element: XmlElement,
  created: string,
  report: Report,
): Pick<Entry, "bookingDate" | "valueDate"> {
  const bookingDate = attemptWith(report, () => parseDay(element, "BookgDt"));
  const valueDate = attemptWith(report, () => parseDay(element, "ValDt"));
  const own = bookingDate ?? valueDate;
  if (own !== undefined) return { bookingDate: bookingDate ?? own, valueDate: valueDate ?? own };
  const details = childrenOf(element, "NtryDtls").flatMap((each) => childrenOf(each, "TxDtls"));
  const settled = details.flatMap((detail) => {
    const dates = childOf(detail, "RltdDts");
    return (dates && attemptWith(report, () => parseDay(dates, "IntrBkSttlmDt"))) ?? [];
  });
  const date = settled[0] ?? created;
  const position = elementPosition("camt", element, "BookgDt");
  report(new FormatError("missing", position, `the entry has no date and is taken as of ${date}`), "warning");
  return { bookingDate: date, valueDate: date };
}

/**
 * Reads an entry of a statement created on a day. Its only detail is part of it, several are its `details`. Faults that
 * leave the amount right are reported; others are thrown.
 */
export function readEntry(element: XmlElement, account: Account, created: string, report: Report): Entry {
  const { amount, currency } = parseAmount(element);
  if (currency !== account.currency)
    throw new FormatError(
      "invalid",
      elementPosition("camt", element, "Amt"),
      `the account is in ${account.currency}, but the entry is in ${currency}`,
    );
  const creditDebit = parseIndicator(element);
  const reversal = isTrue(textOf(element, "RvslInd")) || undefined;
  const status = readStatus(element, report);
  const dates = datesOf(element, created, report);
  const blocks = childrenOf(element, "NtryDtls");
  const described = (work: (draft: EntryDraft) => void): EntryDraft => {
    const draft: EntryDraft = {};
    attemptWith(report, () => work(draft));
    return draft;
  };
  const details = blocks
    .flatMap((block) => childrenOf(block, "TxDtls"))
    .map((detail): Detail => {
      const direction = childOf(detail, "CdtDbtInd")
        ? (attemptWith(report, () => parseIndicator(detail)) ?? creditDebit)
        : creditDebit;
      const signed = { creditDebit: direction, ...(reversal && { reversal }) };
      return {
        creditDebit: direction,
        amount: attemptWith(report, () => detailAmount(detail, account))?.amount,
        description: described((draft) => putTransaction(draft, detail, signed, account)),
      };
    });
  const batch = attemptWith(report, () => batchOf(blocks));
  const own = described((draft) => putCommon(draft, element));
  // Versions that demand an amount of each detail give 0 for one that is not known.
  const isComplete =
    details.some((detail) => Number(detail.amount) !== 0) &&
    details.every((detail) => detail.amount !== undefined) &&
    (batch?.count === undefined || batch.count === details.length);
  if (details.length > 1 && !isComplete && details.every((detail) => Number(detail.amount) === 0))
    report(
      new FormatError(
        "missing",
        elementPosition("camt", element, "NtryDtls"),
        "the amounts of the details are not known: all are 0",
      ),
      "warning",
    );
  if (isComplete)
    attemptWith(report, () => checkDetails(element, { amount, creditDebit }, own, details, account));
  const only = details.length === 1 ? details[0]!.description : {};
  const entry: EntryDraft = only;
  for (const field in own) put(entry, field as keyof Entry, own[field as keyof Entry]);
  put(
    entry,
    "bankReference",
    textOf(element, "AcctSvcrRef") ?? entry.bankReference ?? textOf(element, "NtryRef"),
  );
  put(entry, "reversal", reversal);
  put(entry, "status", status);
  if (batch && Object.keys(batch).length > 0) put(entry, "batch", batch);
  if (details.length > 1)
    put(
      entry,
      "details",
      details.map((detail) => ({
        ...detail.description,
        ...dates,
        amount: detail.amount ?? "0",
        creditDebit: detail.creditDebit,
      })),
    );
  entry.bookingDate = dates.bookingDate;
  entry.valueDate = dates.valueDate;
  entry.amount = amount;
  entry.creditDebit = creditDebit;
  return entry as Entry;
}
