/**
 * Field :86:, information on an entry. The standard does not define its content; banks write plain text, code words between
 * slashes, or numbered subfields after question marks.
 */
import { removeWhitespace, collapseWhitespace, toSwiftX, trimEndOf, trimSlashes } from "../charset";
import { isIban } from "../identifiers";
import { type DraftOf, toCounterparty, type Entry, type Money, put } from "../statement";
import { breakIntoLines, preferFullLines, joinLines, maxLines, preferWholeWords } from "./lines";

/** The unparsed values that an :86: can contain. */
interface RemittanceDetails {
  endToEndId?: string;
  mandateId?: string;
  creditorId?: string;
  customerReference?: string;
  name?: string;
  account?: string;
  bic?: string;
  purpose?: string;
  returnReason?: string;
  exchangeRate?: string;
  instructedAmount?: string;
  charges?: string;
  creditorReference?: string;
  remittance?: string;
  additionalInformation?: string;
}

function parseMoney(text: string | undefined): Money | undefined {
  const [, currency, amount] = /^([A-Z]{3})(\d{1,15}(?:,\d{0,12})?)$/.exec(text ?? "") ?? [];
  return currency && amount ? { currency, amount: amount.replace(/,$/, "").replace(",", ".") } : undefined;
}

function parseRate(text: string | undefined): string | undefined {
  const rate = text?.replace(",", ".");
  return rate && /^\d+(\.\d+)?$/.test(rate) ? rate : undefined;
}

/** Fields that details and entries have in common. */
const textFields = [
  "endToEndId",
  "mandateId",
  "creditorId",
  "customerReference",
  "purpose",
  "returnReason",
  "creditorReference",
  "remittance",
  "additionalInformation",
] as const satisfies readonly (keyof RemittanceDetails & keyof Entry)[];

function toEntryFields(details: RemittanceDetails): DraftOf<Entry> {
  const entry: DraftOf<Entry> = {};
  for (const field of textFields) put(entry, field, details[field]);
  const { name, account, bic } = details;
  put(entry, "counterparty", toCounterparty({ name, account, bic }));
  put(entry, "exchangeRate", parseRate(details.exchangeRate));
  put(entry, "instructedAmount", parseMoney(details.instructedAmount));
  put(entry, "charges", parseMoney(details.charges));
  return entry;
}

/** Adds details, except those that are known, empty or NOTPROVIDED. */
function addDetails(details: RemittanceDetails, given: RemittanceDetails): void {
  for (const name in given) {
    const field = name as keyof RemittanceDetails;
    const text = collapseWhitespace(given[field] ?? "");
    if (text !== "" && text !== "NOTPROVIDED") details[field] ??= text;
  }
}

function withoutUnknown(given: RemittanceDetails): RemittanceDetails {
  const details: RemittanceDetails = {};
  addDetails(details, given);
  return details;
}

/** Marks the end of a line that was not full: a space in text, nothing in an identifier. */
const lineEndMark = "\n";

const joinIdentifier = (identifier: string) => identifier.replaceAll(lineEndMark, "");

type ParseValue = (value: string) => RemittanceDetails;

/** Parses the value of one field. */
const valueOf =
  (field: keyof RemittanceDetails, clean = (value: string) => value): ParseValue =>
  (value) => ({ [field]: clean(value) });

/** Returns a pattern of the keys of a notation, and of other keys, which still end the preceding value. */
const alternativesOf = (keys: Readonly<Record<string, ParseValue>>, others: readonly string[]) =>
  [...Object.keys(keys), ...others].join("|");

/** Parses the values after the keys that a pattern finds; the first wins, because repeated ones describe other parties. */
function parseKeyed(
  text: string,
  pattern: RegExp,
  keys: Readonly<Record<string, ParseValue>>,
  clean = (value: string) => value,
): { readonly before: string; readonly details: RemittanceDetails } {
  const details: RemittanceDetails = {};
  let before: string | undefined;
  let parse: ParseValue | undefined;
  let from = 0;
  const endValue = (end: number) => {
    const value = text.slice(from, end);
    if (before === undefined) before = value;
    else if (parse) addDetails(details, parse(clean(value)));
  };
  for (const { 0: key, 1: name, index } of text.matchAll(pattern)) {
    endValue(index);
    parse = keys[name!];
    from = index + key.length;
  }
  endValue(text.length);
  return { before: before ?? "", details };
}

// Code words between slashes

const codeWords: Readonly<Record<string, ParseValue>> = {
  EREF: valueOf("endToEndId", joinIdentifier),
  MARF: valueOf("mandateId", joinIdentifier),
  CSID: valueOf("creditorId", joinIdentifier),
  PREF: valueOf("customerReference", joinIdentifier),
  NAME: valueOf("name"),
  IBAN: valueOf("account", removeWhitespace),
  BIC: valueOf("bic", removeWhitespace),
  CNTP: (value) => {
    const [account = "", bic = "", name = ""] = value.split("/");
    return withoutUnknown({ account: removeWhitespace(account), bic: removeWhitespace(bic), name });
  },
  PURP: (value) => ({ purpose: joinIdentifier(value).replace(/^\/?(?:CD|PRTRY)\//, "") }),
  RTRN: valueOf("returnReason", joinIdentifier),
  EXCH: valueOf("exchangeRate", joinIdentifier),
  OCMT: valueOf("instructedAmount", joinIdentifier),
  CHGS: valueOf("charges", joinIdentifier),
  REMI: (value) => {
    const [, creditorReference] = /^\/?STRD\/(?:CUR|ISO)\/(.*)$/s.exec(value) ?? [];
    return creditorReference
      ? { creditorReference: joinIdentifier(creditorReference) }
      : { remittance: value.replace(/^\/?USTD\/\//, "") };
  },
};

/** Code words without a field of their own; they still end the preceding value. */
const otherWords = ["ORDP", "BENM", "ULTC", "ULTD", "TRTP", "TRCD", "ISDT", "ADDR"];

const codeWordAlternatives = alternativesOf(codeWords, otherWords);
const wordBetweenSlashes = new RegExp(`/(${codeWordAlternatives})(?=/)`, "g");
const codeWordStart = new RegExp(`^/(?:${codeWordAlternatives})/`);
const codeWordLookalike = new RegExp(`(^|/)(${codeWordAlternatives})(?=/|$)`, "g");
const codeWordPattern = new RegExp(`^(?:${codeWordAlternatives})$`);

const trimCodeWord = (value: string) => trimEndOf(value.trim().replace(/^\//, ""), "/");

const parseCodeWords = (text: string) =>
  parseKeyed(text, wordBetweenSlashes, codeWords, trimCodeWord).details;

/** Returns a reference as a value; empty if it is too long, because a truncated reference is wrong. */
function toReferenceValue(text: string | undefined): string {
  const value = toValue(text);
  return value.length > 35 ? "" : value;
}

/** Converts text to a value that contains no code word and has no slashes at its ends, which readers would trim. */
function toValue(text = "", length = Infinity): string {
  const trimToLength = (value: string) => trimSlashes(collapseWhitespace(value).slice(0, length));
  // Repeated, because cutting may create a code word.
  return trimToLength(trimToLength(toSwiftX(text)).replace(codeWordLookalike, " $2. "));
}

const formatMoney = (money: Money | undefined) =>
  money &&
  `${toSwiftX(money.currency)}${money.amount.replace(".", ",")}${money.amount.includes(".") ? "" : ","}`;

/** Returns the code words of an entry with their values, except the remittance. */
function codeWordsOf(entry: Entry): string[] {
  const { counterparty = {}, creditDebit } = entry;
  const party = creditDebit === "Credit" ? "/ORDP//NAME/" : "/BENM//NAME/";
  const [account, bic] = [counterparty.account, counterparty.bic].map((text) =>
    removeWhitespace(toValue(text)).replaceAll("/", ""),
  );
  const all: [string, string][] = [
    ["/EREF/", toReferenceValue(entry.endToEndId)],
    ["/MARF/", toReferenceValue(entry.mandateId)],
    ["/CSID/", toReferenceValue(entry.creditorId)],
    [party, toValue(counterparty.name, 70)],
    ["/CNTP/", account || bic ? `${account}/${bic}//` : ""],
    ["/PURP/", toValue(entry.purpose, 4)],
    ["/RTRN/", toValue(entry.returnReason, 4)],
    ["/EXCH/", toValue(entry.exchangeRate)],
    ["/OCMT/", toValue(formatMoney(entry.instructedAmount))],
    ["/CHGS/", toValue(formatMoney(entry.charges))],
    ["/REMI/STRD/CUR/", toReferenceValue(entry.creditorReference)],
  ];
  return all
    .filter(([, value]) => value !== "" && !codeWordPattern.test(value))
    .map((piece) => piece.join(""));
}

// Numbered subfields after question marks

/** Adds EUR to an amount without a currency, because SEPA amounts are in euros. */
const withEuroCurrency = (value: string) => `EUR${removeWhitespace(value).replace("EUR", "")}`;

const subfieldKeys: Readonly<Record<string, ParseValue>> = {
  EREF: valueOf("endToEndId", joinIdentifier),
  KREF: valueOf("customerReference", joinIdentifier),
  MREF: valueOf("mandateId", joinIdentifier),
  CRED: valueOf("creditorId", joinIdentifier),
  PURP: valueOf("purpose", joinIdentifier),
  IBAN: valueOf("account", removeWhitespace),
  BIC: valueOf("bic", removeWhitespace),
  OAMT: valueOf("instructedAmount", withEuroCurrency),
  COAM: valueOf("charges", withEuroCurrency),
  SVWZ: valueOf("remittance"),
};

/** Keys without a field of their own; they still end the preceding value. */
const otherKeys = ["ABWA", "ABWE", "DEBT", "BREF", "RREF"];

const keyWithPlus = new RegExp(`(${alternativesOf(subfieldKeys, otherKeys)})\\+`, "g");

/** Joins subfields of 27 characters: a full one continues in the next without a space. */
const joinSubfields = (values: readonly string[]) => joinLines(values, 27, lineEndMark);

function parseSubfieldKeys(text: string): RemittanceDetails {
  const { before, details } = parseKeyed(text, keyWithPlus, subfieldKeys);
  return { ...withoutUnknown({ remittance: before }), ...details };
}

function parseSubfields(text: string): RemittanceDetails {
  const [, ...pieces] = text.split(/\?(\d\d)/);
  const numbers = pieces.filter((_, index) => index % 2 === 0);
  const values = pieces.filter((_, index) => index % 2 === 1);
  const from = (first: string, last = first) =>
    values.filter((_, index) => numbers[index]! >= first && numbers[index]! <= last);
  const plain = withoutUnknown({
    additionalInformation: joinSubfields(from("00")),
    bic: removeWhitespace(joinSubfields(from("30"))),
    account: removeWhitespace(joinSubfields(from("31"))),
    name: joinSubfields(from("32", "33")),
  });
  return { ...parseSubfieldKeys(joinSubfields([...from("20", "29"), ...from("60", "63")])), ...plain };
}

const subfieldStart = /^\d{3}\?\d\d|^\?\d\d/;

// Reading and writing

/** Parses the lines of an :86: in any of the three notations. */
export function parseInformation(lines: readonly string[]): DraftOf<Entry> {
  const [first = ""] = lines;
  if (codeWordStart.test(first))
    return toEntryFields(parseCodeWords(joinLines(lines, undefined, lineEndMark)));
  if (subfieldStart.test(first)) return toEntryFields(parseSubfields(lines.join("")));
  return toEntryFields(withoutUnknown({ remittance: joinLines(lines) }));
}

/**
 * Parses the supplementary details of a :61:, in which banks write amounts as code words, or the IBAN of the counterparty.
 */
export function parseSupplementary(text: string): Partial<Entry> {
  const { instructedAmount, charges } = toEntryFields(parseCodeWords(text));
  const entry: DraftOf<Entry> = {};
  put(entry, "instructedAmount", instructedAmount);
  put(entry, "charges", charges);
  const account = removeWhitespace(text);
  if (isIban(account)) entry.counterparty = { account };
  return entry;
}

/** Breaks plain text into lines that no reader mistakes for subfields. */
export function toPlainLines(text: string): string[] {
  const plain = toSwiftX(text).replace(/^[:\-/ ]+/, "");
  const safe = subfieldStart.test(plain) ? plain.replace("?", ".") : plain;
  return safe === "" ? [] : breakIntoLines(safe, preferWholeWords).slice(0, maxLines);
}

const toFullLines = (text: string) => breakIntoLines(text, preferFullLines);

/**
 * Writes the lines of code words. A word that no longer fits is dropped, because a truncated reference is wrong; the
 * remittance, which comes last, is cut.
 */
function toCodeWordLines(entry: Entry): string[] {
  const words = codeWordsOf(entry).reduce(
    (text, word) => (toFullLines(text + word).length > maxLines ? text : text + word),
    "",
  );
  const remittance = toValue(entry.remittance);
  const beforeRemittance = `${words}/REMI/USTD//`;
  const lines = toFullLines(beforeRemittance + remittance).slice(0, maxLines);
  if (remittance !== "" && joinLines(lines).length > beforeRemittance.length) return lines;
  return words === "" ? [] : toFullLines(words);
}

/** Returns the lines of the :86: of an entry, without the tag; empty if there is no information. */
export function toInformationLines(entry: Entry, subTags: boolean): string[] {
  if (subTags) return toCodeWordLines(entry);
  const { endToEndId, counterparty = {}, creditorReference, remittance, additionalInformation } = entry;
  // Avoids repeating an account that is already in the supplementary details.
  const account = counterparty.account === additionalInformation ? undefined : counterparty.account;
  const texts = [endToEndId, counterparty.name, account, creditorReference, remittance];
  return toPlainLines(texts.filter((text) => text !== undefined).join(" "));
}
