/**
 * Reader of pain.001 documents: ISO 20022 customer credit transfer initiation, versions 03 and 09. Elements that a
 * payment does not need are ignored.
 */
import { Currency, isDateTime, isDay } from "@fxdesk/toolkit/schema";
import { Big } from "big.js";
import { XMLParser, XMLValidator } from "fast-xml-parser";
import { z } from "zod";
import { DomainError } from "../common/domain-error";

const formatError = (text: string, details = "") => new DomainError("format-error", text, details);

const textUpTo = (length: number) => z.string().min(1, "is empty").max(length, `is longer than ${length}`);
const matching = (pattern: RegExp, text: string) => z.string().regex(pattern, text);

/** Same number of integer digits as the JSON standard allows. */
const Amount = matching(/^\d{1,14}(\.\d{1,17})?$/, "is not an amount");
const Sum = matching(/^\d{1,18}(\.\d{1,17})?$/, "is not a sum");
const Count = matching(/^\d{1,15}$/, "is not a number");
const Bic = matching(/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/, "is not a BIC");
const Iban = matching(/^[A-Z]{2}\d{2}[a-zA-Z0-9]{1,30}$/, "is not an IBAN");
const Country = matching(/^[A-Z]{2}$/, "is not a country");
const Day = z.string().refine(isDay, "is not a day");
const Time = z.string().refine(isDateTime, "is not a time");

/** ISO 20022 value for a missing end-to-end reference in a mandatory element. */
export const notProvided = "NOTPROVIDED";

/** Account by IBAN or other number. */
const AccountNumber = z.union(
  [z.object({ IBAN: Iban }), z.object({ Othr: z.object({ Id: textUpTo(34) }) })],
  "is not an account",
);
const Account = z.object({ Id: AccountNumber, Ccy: Currency.optional() });
const Agent = z.object({ FinInstnId: z.object({ BIC: Bic.optional(), BICFI: Bic.optional() }) });

const CreditTransfer = z.object({
  PmtId: z.object({ EndToEndId: textUpTo(35) }),
  Amt: z.object({ InstdAmt: z.object({ "@Ccy": Currency, "#text": Amount }) }),
  CdtrAgt: Agent.optional(),
  Cdtr: z.object({
    Nm: textUpTo(140),
    PstlAdr: z.object({ TwnNm: textUpTo(35).optional(), Ctry: Country.optional() }).optional(),
  }),
  CdtrAcct: Account,
  RmtInf: z.object({ Ustrd: z.array(textUpTo(140)).optional() }).optional(),
});

/** Version 03 has a day; version 09 a day or a time. */
const ExecutionDate = z.union([Day, z.object({ Dt: Day }), z.object({ DtTm: Time })], "is not a day");

const sums = { NbOfTxs: Count, CtrlSum: Sum.optional() };

const PaymentInformation = z.object({
  PmtInfId: textUpTo(35),
  PmtMtd: z.literal("TRF", "must be TRF"),
  BtchBookg: z.enum(["true", "1", "false", "0"], "is neither true nor false").optional(),
  ...sums,
  NbOfTxs: Count.optional(),
  ReqdExctnDt: ExecutionDate,
  DbtrAcct: Account,
  CdtTrfTxInf: z.array(CreditTransfer),
});

const Content = z.object({
  Document: z.object({
    CstmrCdtTrfInitn: z.object({
      GrpHdr: z.object({ MsgId: textUpTo(35), CreDtTm: Time, ...sums }),
      PmtInf: z.array(PaymentInformation).length(1, "must occur once"),
    }),
  }),
});

type PaymentInformation = z.output<typeof PaymentInformation>;

/** A document with a single payment information block. */
export interface Pain001 {
  /** Document as received. */
  readonly text: string;
  /** For example pain.001.001.03. */
  readonly name: string;
  readonly header: { readonly MsgId: string; readonly CreDtTm: string } & Sums;
  readonly information: PaymentInformation;
}

export interface Sums {
  readonly NbOfTxs?: string | undefined;
  readonly CtrlSum?: string | undefined;
}

const listElements = new Set(["PmtInf", "CdtTrfTxInf", "Ustrd"]);

/**
 * All values stay text as written. Namespace prefixes are dropped because the local names are unambiguous.
 */
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  removeNSPrefix: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  parseAttributeValue: false,
  htmlEntities: true,
  isArray: (name) => listElements.has(name),
});

/** Rejects document types: they could define entities, which no payment needs. */
function parseXml(text: string): unknown {
  if (text.includes("<!DOCTYPE")) throw formatError("The document has a DOCTYPE, which is not allowed.");
  const valid = XMLValidator.validate(text);
  if (valid !== true)
    throw formatError("The document is not XML.", `Line ${valid.err.line}: ${valid.err.msg}`);
  try {
    return parser.parse(text);
  } catch (error) {
    throw formatError("The document is not XML.", (error as Error).message);
  }
}

/** Returns the XPath of an issue's element, relative to the message root. */
const elementAt = (path: readonly PropertyKey[]) =>
  path
    .filter((step) => step !== "#text")
    .map((step) => (typeof step === "number" ? `[${step + 1}]` : `/${String(step)}`))
    .join("")
    .replace(/^\/(Document\/(CstmrCdtTrfInitn\/)?)?/, "");

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, step) => (inner as Record<PropertyKey, unknown> | undefined)?.[step], value);

function toSchemaError(content: unknown, { path, code, message }: z.core.$ZodIssue): DomainError {
  const isMissing = valueAt(content, path) === undefined;
  const text = isMissing ? "is missing" : code === "invalid_type" ? "is invalid" : message;
  return formatError("The document is invalid:", `${elementAt(path)} ${text}.`);
}

function assertSums(element: string, { NbOfTxs, CtrlSum }: Sums, { CdtTrfTxInf }: PaymentInformation): void {
  const total = CdtTrfTxInf.reduce((sum, { Amt }) => sum.plus(Amt.InstdAmt["#text"]), new Big(0));
  const check = (name: string, stated: string | undefined, actual: Big) => {
    if (stated !== undefined && !actual.eq(stated))
      throw formatError(
        "A control sum is wrong.",
        `${element}/${name} is ${stated}, not ${actual.toFixed()}.`,
      );
  };
  check("NbOfTxs", NbOfTxs, new Big(CdtTrfTxInf.length));
  check("CtrlSum", CtrlSum, total);
}

/** Parses a document. Throws a DomainError naming the element that is missing or invalid. */
export function readPain001(text: string): Pain001 {
  const content = parseXml(text);
  const [, name] = /urn:iso:std:iso:20022:tech:xsd:(pain\.001\.001\.0[39])["']/.exec(text) ?? [];
  if (name === undefined) throw formatError("The document is neither pain.001.001.03 nor pain.001.001.09.");
  const result = Content.safeParse(content);
  if (!result.success) throw toSchemaError(content, result.error.issues[0]!);
  const { GrpHdr: header, PmtInf } = result.data.Document.CstmrCdtTrfInitn;
  const information = PmtInf[0]!;
  assertSums("GrpHdr", header, information);
  assertSums("PmtInf", information, information);
  return { text, name, header, information };
}
