/** Writes credit transfers as pain.001.001.09 (ISO 20022 customer credit transfer initiation). */
import { Big } from "big.js";
import { isDay, minorUnits } from "../values/values";
import { addressElements } from "./address";
import { formatAmount, parseDecimal } from "./amount";
import { collapseWhitespace, removeWhitespace, toSwiftX } from "./charset";
import { FormatError, type FormatErrorCode, quoteValue } from "./format-error";
import { isIban, isIsoReference } from "./identifiers";
import { readCreditTransfers } from "./pain001";
import type { PostalAddress } from "./statement";

export interface TransferParty {
  readonly name: string;
  /** IBAN; in a cross-border payment also another number. */
  readonly account: string;
  readonly bic?: string;
  /** Town and country are required, at most two free lines may be added. An address may be left out, but not be incomplete. */
  readonly address?: PostalAddress;
}

export interface Transfer {
  readonly endToEndId: string;
  readonly instructionId?: string;
  /** UUID version 4 in lower case. It stays the same if the payment is sent again. */
  readonly uetr?: string;
  /** Decimal text with a point. */
  readonly amount: string;
  /** ISO 4217 code. */
  readonly currency: string;
  readonly creditor: TransferParty;
  readonly ultimateCreditor?: string;
  /** ISO 20022 purpose code. */
  readonly purpose?: string;
  /** At most 140 characters, and not beside a creditor reference. */
  readonly remittance?: string;
  /** ISO 11649 reference, `RF…`. */
  readonly creditorReference?: string;
}

export interface TransferBatch {
  readonly id: string;
  readonly kind: "sepa" | "instant" | "cross-border";
  /** YYYY-MM-DD. */
  readonly requestedDate: string;
  readonly debtor: TransferParty;
  /** True asks for one entry of the whole batch, false for one entry per payment. */
  readonly batchBooking?: boolean;
  /** Who pays the charges of a cross-border payment. Default: SHAR. SEPA payments have SLEV. */
  readonly chargeBearer?: "DEBT" | "CRED" | "SHAR";
  readonly transfers: readonly Transfer[];
}

export interface TransferFile {
  readonly messageId: string;
  /** ISO 8601 date and time. */
  readonly createdAt: string;
  readonly initiator: string;
  readonly batches: readonly TransferBatch[];
}

function fail(code: FormatErrorCode, field: string, message: string): never {
  throw new FormatError(code, { format: "pain", field }, message);
}

const element = (name: string, content: string | undefined): string =>
  content === undefined || content === "" ? "" : `<${name}>${content}</${name}>`;

/** Converts text to the characters that all banks accept, none of which XML must escape. */
function text(value: string, max: number, field: string): string {
  const converted = collapseWhitespace(toSwiftX(value));
  if (converted === "") fail("missing", field, "the text is empty");
  return converted.length > max ? fail("too_long", field, `longer than ${max} characters`) : converted;
}

const optionalText = (value: string | undefined, max: number, field: string): string | undefined =>
  value === undefined ? undefined : text(value, max, field);

/** Checks an identification. It is never converted, because the bank must report the same one. */
function identification(value: string, field: string): string {
  const isValid = /^(?!\/|.*\/\/|.*\/$)[A-Za-z0-9/\-?:().,'+ ]{1,35}$/.test(value) && value.trim() === value;
  return isValid
    ? value
    : fail(
        "invalid",
        field,
        `must be 1 to 35 letters, digits or /-?:().,'+ without outer or double slashes: ${quoteValue(value)}`,
      );
}

function matching(value: string | undefined, pattern: RegExp, field: string): string | undefined {
  if (value === undefined || pattern.test(value)) return value;
  return fail("invalid", field, `has an invalid format: ${quoteValue(value)}`);
}

const bicPattern = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/;

/** Longest text of each element of an address. */
const addressLimits: Readonly<Record<keyof typeof addressElements, number>> = {
  department: 70,
  street: 70,
  buildingNumber: 16,
  buildingName: 35,
  floor: 70,
  postBox: 16,
  room: 70,
  postCode: 16,
  town: 35,
  district: 35,
  subdivision: 35,
  country: 2,
};

const maxAddressLines = 2;

function addressElement(address: PostalAddress | undefined, field: string): string {
  if (!address) return "";
  const { town, country, lines = [] } = address;
  if (!town?.trim()) fail("missing", `${field}.town`, "an address needs a town in its own field");
  if (!/^[A-Z]{2}$/.test(country ?? ""))
    fail("missing", `${field}.country`, "an address needs the ISO country code of two letters");
  if (lines.length > maxAddressLines)
    fail("too_long", `${field}.lines`, "an address may have two free lines, the rest in its own fields");
  const fields = Object.entries(addressElements).map(([name, tag]) => {
    const key = name as keyof typeof addressElements;
    return element(tag, optionalText(address[key], addressLimits[key], `${field}.${name}`));
  });
  const free = lines.map((line, index) => element("AdrLine", text(line, 70, `${field}.lines[${index}]`)));
  return element("PstlAdr", [...fields, ...free].join(""));
}

function accountElement(number: string, kind: TransferBatch["kind"], field: string): string {
  const account = removeWhitespace(number);
  if (isIban(account)) return element("Id", element("IBAN", account));
  if (kind !== "cross-border" || /^[A-Z]{2}\d{2}/.test(account))
    fail("check_digits", field, `is not a valid IBAN: ${quoteValue(number)}`);
  const other = matching(account, /^[A-Za-z0-9/\-?:().,'+]{1,34}$/, field);
  return element("Id", element("Othr", element("Id", other)));
}

/** Elements of an agent. Beside an IBAN it may be unknown. */
const agentElement = (bic: string | undefined, field: string): string =>
  element("FinInstnId", bic === undefined ? undefined : element("BICFI", matching(bic, bicPattern, field)));

const unknownAgent = "<FinInstnId><Othr><Id>NOTPROVIDED</Id></Othr></FinInstnId>";

const nameLength = (kind: TransferBatch["kind"]) => (kind === "cross-border" ? 140 : 70);

const maxSepaAmount = "999999999.99";

function amountOf({ amount, currency }: Transfer, kind: TransferBatch["kind"], field: string): string {
  if (!/^[A-Z]{3}$/.test(currency)) fail("invalid", `${field}.currency`, "must be three capital letters");
  const value = parseDecimal(amount, { format: "pain", field: `${field}.amount` });
  const written = formatAmount(value, currency);
  const decimals = written.split(".")[1]?.length ?? 0;
  if (value.lte(0)) fail("invalid", `${field}.amount`, "must be more than zero");
  if (decimals > minorUnits(currency))
    fail("invalid", `${field}.amount`, `${amount} has more decimals than ${currency} allows`);
  if (written.split(".")[0]!.length > 13)
    fail("too_long", `${field}.amount`, `${amount} has too many digits`);
  if (kind === "cross-border") return written;
  if (currency !== "EUR") fail("invalid", `${field}.currency`, "SEPA payments are in EUR");
  return value.gt(maxSepaAmount)
    ? fail("too_long", `${field}.amount`, `above ${maxSepaAmount} EUR`)
    : written;
}

function remittanceElement({ remittance, creditorReference }: Transfer, field: string): string {
  if (creditorReference === undefined)
    return element("RmtInf", element("Ustrd", optionalText(remittance, 140, `${field}.remittance`)));
  if (remittance !== undefined)
    fail("misplaced", `${field}.remittance`, "give remittance text or a creditor reference, not both");
  const reference = removeWhitespace(creditorReference);
  if (!isIsoReference(reference))
    fail(
      "check_digits",
      `${field}.creditorReference`,
      `is not a valid RF reference: ${quoteValue(reference)}`,
    );
  const type = "<Tp><CdOrPrtry><Cd>SCOR</Cd></CdOrPrtry><Issr>ISO</Issr></Tp>";
  return `<RmtInf><Strd><CdtrRefInf>${type}<Ref>${reference}</Ref></CdtrRefInf></Strd></RmtInf>`;
}

const uetrPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function transferElement(transfer: Transfer, { kind }: TransferBatch, field: string): string {
  const { creditor, endToEndId, instructionId, uetr, currency, purpose, ultimateCreditor } = transfer;
  const account = accountElement(creditor.account, kind, `${field}.creditor.account`);
  const isForeignNumber = !isIban(removeWhitespace(creditor.account));
  if (isForeignNumber && kind === "cross-border" && creditor.bic === undefined)
    fail("missing", `${field}.creditor.bic`, "an account without IBAN needs a BIC");
  const agent = agentElement(creditor.bic, `${field}.creditor.bic`);
  return element(
    "CdtTrfTxInf",
    element(
      "PmtId",
      element("InstrId", instructionId && identification(instructionId, `${field}.instructionId`)) +
        element("EndToEndId", identification(endToEndId, `${field}.endToEndId`)) +
        element("UETR", matching(uetr, uetrPattern, `${field}.uetr`)),
    ) +
      `<Amt><InstdAmt Ccy="${currency}">${amountOf(transfer, kind, field)}</InstdAmt></Amt>` +
      element("CdtrAgt", agent) +
      element(
        "Cdtr",
        element("Nm", text(creditor.name, nameLength(kind), `${field}.creditor.name`)) +
          addressElement(creditor.address, `${field}.creditor.address`),
      ) +
      element("CdtrAcct", account) +
      element(
        "UltmtCdtr",
        element("Nm", optionalText(ultimateCreditor, nameLength(kind), `${field}.ultimateCreditor`)),
      ) +
      element("Purp", element("Cd", matching(purpose, /^[A-Z0-9]{4}$/, `${field}.purpose`))) +
      remittanceElement(transfer, field),
  );
}

const sumOf = (transfers: readonly Transfer[]): Big =>
  transfers.reduce((sum, { amount }) => sum.plus(amount), new Big(0));

const countAndSum = (transfers: readonly Transfer[]): string =>
  element("NbOfTxs", String(transfers.length)) + element("CtrlSum", sumOf(transfers).toFixed());

const serviceLevel = element("SvcLvl", element("Cd", "SEPA"));
const paymentTypes: Readonly<Record<TransferBatch["kind"], string>> = {
  sepa: element("PmtTpInf", serviceLevel),
  instant: element("PmtTpInf", serviceLevel + element("LclInstrm", element("Cd", "INST"))),
  "cross-border": "",
};

function batchElement(batch: TransferBatch, field: string): string {
  const { id, kind, requestedDate, debtor, batchBooking, chargeBearer = "SHAR", transfers } = batch;
  if (!Object.hasOwn(paymentTypes, kind)) fail("invalid", `${field}.kind`, `unknown: ${quoteValue(kind)}`);
  if (transfers.length === 0) fail("missing", `${field}.transfers`, "a batch needs a payment");
  if (!isDay(requestedDate))
    fail("invalid", `${field}.requestedDate`, `must be YYYY-MM-DD, not ${quoteValue(requestedDate)}`);
  const payments = transfers.map((each, index) =>
    transferElement(each, batch, `${field}.transfers[${index}]`),
  );
  return element(
    "PmtInf",
    element("PmtInfId", identification(id, `${field}.id`)) +
      element("PmtMtd", "TRF") +
      element("BtchBookg", batchBooking === undefined ? undefined : String(batchBooking)) +
      countAndSum(transfers) +
      paymentTypes[kind] +
      element("ReqdExctnDt", element("Dt", requestedDate)) +
      element(
        "Dbtr",
        element("Nm", text(debtor.name, nameLength(kind), `${field}.debtor.name`)) +
          addressElement(debtor.address, `${field}.debtor.address`),
      ) +
      element("DbtrAcct", accountElement(debtor.account, kind, `${field}.debtor.account`)) +
      element("DbtrAgt", agentElement(debtor.bic, `${field}.debtor.bic`) || unknownAgent) +
      element(
        "ChrgBr",
        matching(
          kind === "cross-border" ? chargeBearer : "SLEV",
          /^(?:DEBT|CRED|SHAR|SLEV)$/,
          `${field}.chargeBearer`,
        ),
      ) +
      payments.join("\n"),
  );
}

const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/;

/**
 * Writes credit transfers as pain.001.001.09. Texts are converted to the characters that all banks accept; identifications,
 * account numbers and amounts are never changed.
 *
 * Throws a FormatError with the field for what the format or the scheme refuses: unstructured addresses, wrong check digits,
 * decimals that the currency does not have, texts that are too long.
 */
export function writePain001({ messageId, createdAt, initiator, batches }: TransferFile): string {
  const all = batches.flatMap(({ transfers }) => transfers);
  // Checks all amounts before they are added up.
  const information = batches.map((batch, index) => batchElement(batch, `batches[${index}]`));
  const header = element(
    "GrpHdr",
    element("MsgId", identification(messageId, "messageId")) +
      element("CreDtTm", matching(createdAt, timePattern, "createdAt")) +
      countAndSum(all) +
      element("InitgPty", element("Nm", text(initiator, 70, "initiator"))),
  );
  const document =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09"><CstmrCdtTrfInitn>' +
    `${[header, ...information].join("\n")}</CstmrCdtTrfInitn></Document>\n`;
  // The reader that amounts of releases come from must see the same payments.
  const read = readCreditTransfers(document);
  const isSame =
    read?.length === all.length &&
    read.every(({ amount, currency }, index) => {
      const given = all[index]!;
      return currency === given.currency && new Big(amount).eq(given.amount);
    });
  return isSame
    ? document
    : fail("control_sum", "batches", "the written payments differ from the given ones");
}
