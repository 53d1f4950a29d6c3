/**
 * Field :86:, what the bank says of an entry. The standard leaves it free; in use are plain text, code words between
 * slashes, and numbered subfields after question marks.
 */
import { compact, squeeze, swiftX, withoutEnd, withoutSlashes } from "../charset";
import { isIban } from "../identifiers";
import { counterpartyFrom, type Entry, given, type Money } from "../statement";
import { brokenIntoLines, fullLines, joinedLines, mostLines, wholeWords } from "./lines";

/** What an :86: can say, each as the text that stands there. */
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

function moneyFrom(text: string | undefined): Money | undefined {
  const [, currency, amount] = /^([A-Z]{3})(\d{1,15}(?:,\d{0,12})?)$/.exec(text ?? "") ?? [];
  return currency && amount ? { currency, amount: amount.replace(/,$/, "").replace(",", ".") } : undefined;
}

function rateFrom(text: string | undefined): string | undefined {
  const rate = text?.replace(",", ".");
  return rate && /^\d+(\.\d+)?$/.test(rate) ? rate : undefined;
}

function entryFields({ name, account, bic, ...details }: RemittanceDetails): Partial<Entry> {
  const { exchangeRate, instructedAmount, charges, ...texts } = details;
  return given<Partial<Entry>>({
    ...texts,
    counterparty: counterpartyFrom({ name, account, bic }),
    exchangeRate: rateFrom(exchangeRate),
    instructedAmount: moneyFrom(instructedAmount),
    charges: moneyFrom(charges),
  });
}

/** Without empty texts and those that say that nothing is known. */
const known = (details: RemittanceDetails): RemittanceDetails =>
  Object.fromEntries(
    Object.entries(details)
      .map(([field, text]: [string, string]) => [field, squeeze(text)])
      .filter(([, text]) => text !== "" && text !== "NOTPROVIDED"),
  );

/** What stands in a text where a line that was not full ended: a space of words, but nothing within an identifier. */
const lineEnd = "\n";

const whole = (identifier: string) => identifier.replaceAll(lineEnd, "");

// Code words between slashes

const codeWords: Readonly<Record<string, (value: string) => RemittanceDetails>> = {
  EREF: (value) => ({ endToEndId: whole(value) }),
  MARF: (value) => ({ mandateId: whole(value) }),
  CSID: (value) => ({ creditorId: whole(value) }),
  PREF: (value) => ({ customerReference: whole(value) }),
  NAME: (name) => ({ name }),
  IBAN: (value) => ({ account: compact(value) }),
  BIC: (value) => ({ bic: compact(value) }),
  CNTP: (value) => {
    const [account = "", bic = "", name = ""] = value.split("/");
    return known({ account: compact(account), bic: compact(bic), name });
  },
  PURP: (value) => ({ purpose: whole(value).replace(/^\/?(?:CD|PRTRY)\//, "") }),
  RTRN: (value) => ({ returnReason: whole(value) }),
  EXCH: (value) => ({ exchangeRate: whole(value) }),
  OCMT: (value) => ({ instructedAmount: whole(value) }),
  CHGS: (value) => ({ charges: whole(value) }),
  REMI: (value) => {
    const [, creditorReference] = /^\/?STRD\/(?:CUR|ISO)\/(.*)$/s.exec(value) ?? [];
    return creditorReference
      ? { creditorReference: whole(creditorReference) }
      : { remittance: value.replace(/^\/?USTD\/\//, "") };
  },
};

/** Words that introduce others or that no field here is for: they still end the text before them. */
const otherWords = ["ORDP", "BENM", "ULTC", "ULTD", "TRTP", "TRCD", "ISDT", "ADDR"];

const anyWord = [...Object.keys(codeWords), ...otherWords].join("|");
const wordBetweenSlashes = new RegExp(`/(${anyWord})(?=/)`, "g");
const startsWithWord = new RegExp(`^/(?:${anyWord})/`);
const looksLikeWord = new RegExp(`(^|/)(${anyWord})(?=/|$)`, "g");
const isWord = new RegExp(`^(?:${anyWord})$`);

/** The first of a word or key counts: what repeats it later is about others behind the counterparty. */
function firstOfEach(details: readonly RemittanceDetails[]): RemittanceDetails {
  const first: RemittanceDetails = {};
  for (const one of details.toReversed()) Object.assign(first, one);
  return first;
}

function detailsByCodeWords(text: string): RemittanceDetails {
  const found = [...text.matchAll(wordBetweenSlashes)];
  const details = found.map(({ 0: word, 1: name, index }, at) => {
    const value = text.slice(index + word.length, found[at + 1]?.index ?? text.length);
    return known(codeWords[name!]?.(withoutEnd(value.trim().replace(/^\//, ""), "/")) ?? {});
  });
  return firstOfEach(details);
}

/** A reference as the value of a code word; nothing where it is too long, because a part of it is a wrong one. */
function asReference(text: string | undefined): string {
  const value = asValue(text);
  return value.length > 35 ? "" : value;
}

/** Text as the value of a code word: nothing in it can be taken for another word, and no slash at its ends gets lost. */
function asValue(text = "", length = Infinity): string {
  const fitting = (value: string) => withoutSlashes(squeeze(value).slice(0, length));
  // Also a word that the cut has made.
  return fitting(fitting(swiftX(text)).replace(looksLikeWord, " $2. "));
}

const moneyText = (money: Money | undefined) =>
  money &&
  `${swiftX(money.currency)}${money.amount.replace(".", ",")}${money.amount.includes(".") ? "" : ","}`;

/** The code words of an entry in their order, each with its value; without its remittance. */
function wordsOf(entry: Entry): string[] {
  const { counterparty = {}, creditDebit } = entry;
  const party = creditDebit === "Credit" ? "/ORDP//NAME/" : "/BENM//NAME/";
  const [account, bic] = [counterparty.account, counterparty.bic].map((text) =>
    compact(asValue(text)).replaceAll("/", ""),
  );
  const all: [string, string][] = [
    ["/EREF/", asReference(entry.endToEndId)],
    ["/MARF/", asReference(entry.mandateId)],
    ["/CSID/", asReference(entry.creditorId)],
    [party, asValue(counterparty.name, 70)],
    ["/CNTP/", account || bic ? `${account}/${bic}//` : ""],
    ["/PURP/", asValue(entry.purpose, 4)],
    ["/RTRN/", asValue(entry.returnReason, 4)],
    ["/EXCH/", asValue(entry.exchangeRate)],
    ["/OCMT/", asValue(moneyText(entry.instructedAmount))],
    ["/CHGS/", asValue(moneyText(entry.charges))],
    ["/REMI/STRD/CUR/", asReference(entry.creditorReference)],
  ];
  return all.filter(([, value]) => value !== "" && !isWord.test(value)).map((piece) => piece.join(""));
}

// Numbered subfields after question marks

/** SEPA knows only euros: an amount that does not say its currency is in them. */
const inEuros = (value: string) => `EUR${compact(value).replace("EUR", "")}`;

const subfieldKeys: Readonly<Record<string, (value: string) => RemittanceDetails>> = {
  EREF: (value) => ({ endToEndId: whole(value) }),
  KREF: (value) => ({ customerReference: whole(value) }),
  MREF: (value) => ({ mandateId: whole(value) }),
  CRED: (value) => ({ creditorId: whole(value) }),
  PURP: (value) => ({ purpose: whole(value) }),
  IBAN: (value) => ({ account: compact(value) }),
  BIC: (value) => ({ bic: compact(value) }),
  OAMT: (value) => ({ instructedAmount: inEuros(value) }),
  COAM: (value) => ({ charges: inEuros(value) }),
  SVWZ: (remittance) => ({ remittance }),
};

/** Keys that no field here is for: they still end the value before them. */
const otherKeys = ["ABWA", "ABWE", "DEBT", "BREF", "RREF"];

const anyKey = [...Object.keys(subfieldKeys), ...otherKeys].join("|");
const keyWithPlus = new RegExp(`(${anyKey})\\+`, "g");

/** Subfields hold 27 characters: a full one runs on into the next. */
const joinedSubfields = (values: readonly string[]) => joinedLines(values, 27, lineEnd);

function detailsByKeys(text: string): RemittanceDetails {
  const found = [...text.matchAll(keyWithPlus)];
  const before = text.slice(0, found[0]?.index ?? text.length);
  const details = found.map(({ 0: key, 1: name, index }, at) =>
    known(subfieldKeys[name!]?.(text.slice(index + key.length, found[at + 1]?.index ?? text.length)) ?? {}),
  );
  return { ...known({ remittance: before }), ...firstOfEach(details) };
}

function detailsBySubfields(text: string): RemittanceDetails {
  const [, ...pieces] = text.split(/\?(\d\d)/);
  const numbers = pieces.filter((_, index) => index % 2 === 0);
  const values = pieces.filter((_, index) => index % 2 === 1);
  const from = (first: string, last = first) =>
    values.filter((_, index) => numbers[index]! >= first && numbers[index]! <= last);
  const plain = known({
    additionalInformation: joinedSubfields(from("00")),
    bic: compact(joinedSubfields(from("30"))),
    account: compact(joinedSubfields(from("31"))),
    name: joinedSubfields(from("32", "33")),
  });
  return { ...detailsByKeys(joinedSubfields([...from("20", "29"), ...from("60", "63")])), ...plain };
}

const startsWithSubfield = /^\d{3}\?\d\d|^\?\d\d/;

// Reading and writing

/** What the lines of an :86: say of an entry, in whichever of the three ways. */
export function readInformation(lines: readonly string[]): Partial<Entry> {
  const [first = ""] = lines;
  if (startsWithWord.test(first))
    return entryFields(detailsByCodeWords(joinedLines(lines, undefined, lineEnd)));
  if (startsWithSubfield.test(first)) return entryFields(detailsBySubfields(lines.join("")));
  return entryFields(known({ remittance: joinedLines(lines) }));
}

/**
 * What banks write into the supplementary details of a :61: for programs: amounts as code words, or the counterparty's
 * IBAN.
 */
export function readSupplementary(text: string): Partial<Entry> {
  const { instructedAmount, charges } = entryFields(detailsByCodeWords(text));
  const counterparty = isIban(compact(text)) ? { account: compact(text) } : undefined;
  return given<Partial<Entry>>({ instructedAmount, charges, counterparty });
}

/** The lines of text of no special form, which no reader takes for one; none for no text. */
export function plainLines(text: string): string[] {
  const plain = swiftX(text).replace(/^[:\-/ ]+/, "");
  const harmless = startsWithSubfield.test(plain) ? plain.replace("?", ".") : plain;
  return harmless === "" ? [] : brokenIntoLines(harmless, wholeWords).slice(0, mostLines);
}

const linesFor = (text: string) => brokenIntoLines(text, fullLines);

/**
 * The lines of code words. A word that no longer fits is left out, because a part of a reference is a wrong reference;
 * remittance, which comes last, is cut.
 */
function wordLines(entry: Entry): string[] {
  const words = wordsOf(entry).reduce(
    (text, word) => (linesFor(text + word).length > mostLines ? text : text + word),
    "",
  );
  const remittance = asValue(entry.remittance);
  const beforeRemittance = `${words}/REMI/USTD//`;
  const lines = linesFor(beforeRemittance + remittance).slice(0, mostLines);
  if (remittance !== "" && joinedLines(lines).length > beforeRemittance.length) return lines;
  return words === "" ? [] : linesFor(words);
}

/** The lines of an entry's :86:, without its tag; none when there is nothing to say. */
export function informationLines(entry: Entry, subTags: boolean): string[] {
  if (subTags) return wordLines(entry);
  const { endToEndId, counterparty = {}, creditorReference, remittance, additionalInformation } = entry;
  // An account that the supplementary details say would be said twice.
  const account = counterparty.account === additionalInformation ? undefined : counterparty.account;
  const texts = [endToEndId, counterparty.name, account, creditorReference, remittance];
  return plainLines(texts.filter((text) => text !== undefined).join(" "));
}
