/**
 * Reads the amounts and accounts of pain.001 documents (ISO 20022 customer credit transfer initiation). Refuses whatever two readers could
 * understand differently: document types, CDATA, comments, processing instructions and foreign namespaces.
 */
import { Big } from "big.js";

export interface CreditTransfer {
  readonly amount: string;
  readonly currency: string;
  /** IBAN or other number of the account to debit; undefined if the document has none. */
  readonly account: string | undefined;
  /** IBAN of the account to credit; undefined if it has none, or another number as well. */
  readonly creditor: string | undefined;
  /** All that the document states of the account and of its bank. */
  readonly creditorAccount: string | undefined;
  readonly creditorBank: string | undefined;
  /** What people read beside amount and accounts; undefined where the document has none. */
  readonly creditorName: string | undefined;
  readonly remittance: string | undefined;
  /** Requested execution date or time. */
  readonly date: string | undefined;
  /** BIC of the creditor's bank. */
  readonly bic: string | undefined;
  readonly endToEnd: string | undefined;
  /** Number of free lines of the creditor's address; town and country in elements of their own. */
  readonly addressLines: number;
  readonly town: string | undefined;
  readonly country: string | undefined;
}

interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: Element[];
  text: string;
}

/** The document cannot be read without doubt. */
class Unreadable extends Error {}

const fail = (): never => {
  throw new Unreadable();
};

const declaration = /^\s*<\?xml\s[^?<>]*\?>/;
const openTag =
  /<([A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?)((?:\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const closeTag = /<\/([\w.:-]+)\s*>/y;
const textPart = /[^<&]+|&(?:lt|gt|amp|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});/y;
const attribute = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function attributesOf(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name, double, single] of text.matchAll(attribute)) {
    if (found.has(name!)) fail();
    found.set(name!, (double ?? single)!);
  }
  return found;
}

function parseElements(text: string): Element {
  const document: Element = { name: "", attributes: new Map(), children: [], text: "" };
  const open = [document];
  let index = declaration.exec(text)?.[0].length ?? 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = index;
    const found = pattern.exec(text);
    index += found?.[0].length ?? 0;
    return found;
  };
  while (index < text.length) {
    const current = open.at(-1)!;
    const opened = match(openTag);
    if (opened) {
      const [, name, attributes, isEmpty] = opened;
      const element: Element = {
        name: name!,
        attributes: attributesOf(attributes!),
        children: [],
        text: "",
      };
      current.children.push(element);
      if (!isEmpty) open.push(element);
      continue;
    }
    const closed = match(closeTag);
    if (closed) {
      if (open.length === 1 || closed[1] !== current.name) fail();
      open.pop();
      continue;
    }
    current.text += match(textPart)?.[0] ?? fail();
  }
  const [root, ...others] = document.children;
  if (open.length > 1 || !root || others.length > 0 || document.text.trim() !== "") fail();
  return root!;
}

const messageNamespace = /^urn:iso:std:iso:20022:tech:xsd:pain\.001\.001\.\d{2}$/;
const schemaInstance = "http://www.w3.org/2001/XMLSchema-instance";

/** Removes the prefix of the message from all names. Fails for any other namespace. */
function withoutPrefix(root: Element): Element {
  const prefix = root.name.includes(":") ? root.name.split(":")[0] : undefined;
  for (const [name, value] of root.attributes) {
    const isMessage = name === (prefix === undefined ? "xmlns" : `xmlns:${prefix}`);
    if (isMessage ? !messageNamespace.test(value) : name.startsWith("xmlns") && value !== schemaInstance)
      fail();
  }
  if (!root.attributes.has(prefix === undefined ? "xmlns" : `xmlns:${prefix}`)) fail();
  const strip = (element: Element): Element => {
    const [given, local] = element.name.includes(":") ? element.name.split(":") : [undefined, element.name];
    const declares =
      element !== root && [...element.attributes.keys()].some((name) => name.startsWith("xmlns"));
    if (given !== prefix || declares) fail();
    return { ...element, name: local!, children: element.children.map(strip) };
  };
  return strip(root);
}

const named = ({ children }: Element, name: string): Element[] =>
  children.filter((each) => each.name === name);

function only(element: Element, name: string): Element | undefined {
  const found = named(element, name);
  return found.length > 1 ? fail() : found[0];
}

const required = (element: Element, name: string): Element => only(element, name) ?? fail();

function leafText(element: Element, pattern: RegExp): string {
  const text = element.text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, "");
  return element.children.length > 0 || !pattern.test(text) ? fail() : text;
}

const amountPattern = /^\d{1,14}(\.\d{1,5})?$/;

/** Returns the amount that is debited: the instructed one, or its equivalent in the currency of the account. */
function amountOf(transfer: Element): Pick<CreditTransfer, "amount" | "currency"> {
  const amount = required(transfer, "Amt");
  const [instructed, equivalent] = [only(amount, "InstdAmt"), only(amount, "EqvtAmt")];
  if ((instructed === undefined) === (equivalent === undefined) || amount.children.length !== 1) fail();
  const element = instructed ?? required(equivalent!, "Amt");
  const currency = element.attributes.get("Ccy") ?? fail();
  if (!/^[A-Z]{3}$/.test(currency)) fail();
  return { amount: leafText(element, amountPattern), currency };
}

function accountOf(information: Element): string | undefined {
  const account = only(information, "DbtrAcct");
  if (!account) return undefined;
  const id = required(account, "Id");
  // Two numbers may name two accounts.
  if (id.children.length !== 1) fail();
  const other = only(id, "Othr");
  const number = other ? required(other, "Id") : required(id, "IBAN");
  return leafText(number, /^[^&]{1,34}$/);
}

/** Parts of an account beside its number that do not name another account. */
const accountDetails = new Set(["Id", "Tp", "Ccy", "Nm"]);

function creditorOf(transfer: Element): string | undefined {
  const account = only(transfer, "CdtrAcct");
  const id = account && only(account, "Id");
  const isPlain =
    account?.children.every(({ name }) => accountDetails.has(name)) && id?.children.length === 1;
  const iban = isPlain ? only(id, "IBAN") : undefined;
  return iban && leafText(iban, /^[^&]{1,42}$/);
}

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function decodeEntity(name: string): string {
  if (!name.startsWith("#")) return entities[name]!;
  const code = Number(name.startsWith("#x") ? `0${name.slice(1)}` : name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : fail();
}

/** Returns all text of an element and its children, in the order of the document. */
const textIn = ({ text, children }: Element): string =>
  [text.trim().replace(/&([^;]+);/g, (_, name: string) => decodeEntity(name)), ...children.map(textIn)]
    .filter(Boolean)
    .join(" ");

/** Returns the only element with this name, or undefined. Fails for two: people would read one, and a bank the other. */
const onlyIn = (element: Element | undefined, name: string): Element | undefined =>
  element && only(element, name);

/** Returns the text of the only element with this name, or undefined. */
function textOf(element: Element | undefined, name: string): string | undefined {
  const found = onlyIn(element, name);
  return found && textIn(found);
}

/** Returns what banks check in the details of the creditor. */
function creditorDetailsOf(transfer: Element) {
  const address = onlyIn(onlyIn(transfer, "Cdtr"), "PstlAdr");
  const bank = onlyIn(onlyIn(transfer, "CdtrAgt"), "FinInstnId");
  return {
    creditorAccount: textOf(transfer, "CdtrAcct"),
    creditorBank: textOf(transfer, "CdtrAgt"),
    bic: textOf(bank, "BICFI") ?? textOf(bank, "BIC"),
    endToEnd: textOf(onlyIn(transfer, "PmtId"), "EndToEndId"),
    addressLines: address ? named(address, "AdrLine").length : 0,
    town: textOf(address, "TwnNm"),
    country: textOf(address, "Ctry"),
  };
}

/** Fails if a control sum or a count contradicts the transfers. */
function checkSums(element: Element, transfers: readonly CreditTransfer[]): void {
  const [count, sum] = [only(element, "NbOfTxs"), only(element, "CtrlSum")];
  const total = transfers.reduce((before, { amount }) => before.plus(amount), new Big(0));
  if (count && Number(leafText(count, /^\d{1,15}$/)) !== transfers.length) fail();
  if (sum && !total.eq(leafText(sum, /^\d{1,18}(\.\d{1,17})?$/))) fail();
}

const count = (element: Element, names: ReadonlySet<string>): number =>
  element.children.reduce((sum, each) => sum + count(each, names), names.has(element.name) ? 1 : 0);

const amountElements = new Set(["InstdAmt", "EqvtAmt"]);
const creditorElements = new Set(["CdtrAcct"]);

/** Returns the transfers of a pain.001 document, or undefined if it cannot be read without doubt. */
export function readCreditTransfers(document: string): readonly CreditTransfer[] | undefined {
  try {
    const root = withoutPrefix(parseElements(document));
    if (root.name !== "Document" || root.children.length !== 1) fail();
    const initiation = required(root, "CstmrCdtTrfInitn");
    const transfers = named(initiation, "PmtInf").flatMap((information) => {
      const account = accountOf(information);
      const own = named(information, "CdtTrfTxInf").map((each) => ({
        ...amountOf(each),
        account,
        creditor: creditorOf(each),
        creditorName: textOf(onlyIn(each, "Cdtr"), "Nm"),
        remittance: textOf(each, "RmtInf"),
        date: textOf(information, "ReqdExctnDt"),
        ...creditorDetailsOf(each),
      }));
      checkSums(information, own);
      return own;
    });
    checkSums(required(initiation, "GrpHdr"), transfers);
    // An amount or account at an unexpected place could be one that another reader uses.
    const isExpected =
      count(root, amountElements) === transfers.length && count(root, creditorElements) <= transfers.length;
    return transfers.length === 0 || !isExpected ? fail() : transfers;
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError) return undefined;
    throw error;
  }
}
