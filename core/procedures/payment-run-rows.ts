/** Rows of a payment run: from JSON, CSV text or a pain.001 document. */
import { Big } from "big.js";
import { z } from "zod";
import { invalidInputError } from "../call/call-errors";
import { NewBulkPayment, pain001 } from "../contract/payment-input";
import { formatAmount } from "../files/amount";
import { type CreditTransfer, readCreditTransfers } from "../files/pain001";
import { withoutUndefined } from "../files/statement";
import type { ProcedureValues } from "../spec/procedure";
import { amountText } from "../values/amount-text";
import { normalizeAccountNumber } from "../values/account-number";
import { day } from "../values/values";
import { headingMatcher, normalizeEntries, parseCsvRows } from "./csv-input";
import { optionalTextField, textField } from "./result-fields";

/** What is wrong with these fields is a finding, so their schema is wide. */
const text = (title: string, description: string) => z.string().meta({ title, description });

const PaymentRow = z
  .object({
    payee: text("Payee", "Name of the payee."),
    iban: text("IBAN", "IBAN of the payee."),
    bic: text("BIC", "BIC of the payee's bank.").optional(),
    amount: amountText(/^\d+(\.\d+)?$/, "must be a positive decimal amount such as 1250.00").meta({
      title: "Amount",
      description: "Amount to pay, decimal text.",
    }),
    currency: text("Currency", "ISO 4217 code; default EUR.").optional(),
    reference: text("Reference", "Remittance information, such as an invoice number.").optional(),
    end_to_end: text("End-to-end ID", "End-to-end reference.").optional(),
    address: text("Address lines", "Address of the payee in lines, without fields of its own.").optional(),
    street: text("Street", "Street of the payee.").optional(),
    building_number: text("Building number", "Building number of the payee.").optional(),
    post_code: text("Post code", "Post code of the payee.").optional(),
    town: text("Town", "Town of the payee.").optional(),
    country: text("Country", "Country of the payee, ISO 3166 code such as DE.").optional(),
  })
  .meta({ id: "PaymentRow", description: "One payment of a run." });

type GivenRow = z.output<typeof PaymentRow>;

/** A payment of the run. */
export interface RunRow extends GivenRow {
  readonly currency: string;
  /** Item number from 1; for CSV text, the line number. */
  readonly row: number;
  /** Number of address lines of a document. */
  readonly addressLines?: number | undefined;
}

const columns = {
  payee: {
    names: [
      "payee",
      "name",
      "creditor",
      "creditor name",
      "beneficiary",
      "supplier",
      "recipient",
      "empfänger",
      "kreditor",
    ],
    required: true,
  },
  iban: { names: ["iban", "account", "creditor iban", "creditor account", "konto"], required: true },
  bic: { names: ["bic", "swift", "swift code"] },
  amount: { names: ["amount", "betrag"], required: true },
  currency: { names: ["currency", "ccy", "währung"] },
  reference: {
    names: [
      "reference",
      "remittance",
      "remittance information",
      "purpose",
      "invoice",
      "verwendungszweck",
      "rechnung",
    ],
  },
  end_to_end: { names: ["end to end", "end to end id", "endtoendid", "e2e"] },
  address: { names: ["address", "address lines", "anschrift", "adresse"] },
  street: { names: ["street", "strasse", "straße"] },
  building_number: { names: ["building number", "house number", "hausnummer"] },
  post_code: { names: ["post code", "postcode", "zip", "plz"] },
  town: { names: ["town", "city", "ort"] },
  country: { names: ["country", "land"] },
} as const;

const optionalColumns = [
  "bic",
  "reference",
  "end_to_end",
  "address",
  "street",
  "building_number",
  "post_code",
  "town",
  "country",
] as const;

const rowsOfCsv = (operation: string, csv: string): RunRow[] =>
  parseCsvRows(operation, "rows_csv", csv, columns, (row) => {
    const currency = row.cell("currency") === "" ? "EUR" : row.currency("currency");
    const given = optionalColumns.flatMap((name) => (row.cell(name) === "" ? [] : [[name, row.cell(name)]]));
    return {
      row: row.line,
      payee: row.cell("payee"),
      iban: row.cell("iban"),
      amount: row.amount("amount", currency),
      currency,
      ...(Object.fromEntries(given) as Pick<GivenRow, (typeof optionalColumns)[number]>),
    };
  });

const rowOfTransfer = (transfer: CreditTransfer, index: number): RunRow => {
  const { creditorName: payee = "", creditor: iban = "", amount, currency, addressLines } = transfer;
  const { remittance: reference, bic, endToEnd: end_to_end, town, country } = transfer;
  return {
    row: index + 1,
    payee,
    iban,
    amount,
    currency,
    ...withoutUndefined({ reference, bic, end_to_end, town, country }),
    addressLines,
  };
};

const products = [
  "sepa-credit-transfers",
  "instant-sepa-credit-transfers",
  "target-2-payments",
  "cross-border-credit-transfers",
] as const;

/** Input fields of a run. */
export const runFields = {
  rows: PaymentRow.array()
    .min(1)
    .max(10_000)
    .optional()
    .meta({ title: "Payments", description: "The payments of the run.", listedBy: "payments.prepareRun" }),
  rows_csv: z
    .string()
    .optional()
    .meta({
      title: "Payments as CSV",
      description:
        "Payments as CSV text with the header payee,iban,amount; also currency, reference, bic and the fields of the address.",
      matchHeadings: headingMatcher(columns),
      columnsOf: "rows",
    }),
  pain001: pain001.schema,
  debtor_iban: text("Debtor IBAN", "IBAN of the account to debit; a pain.001 document has its own.")
    .optional()
    .meta({ ownIban: true }),
  "payment-product": z.enum(products).default("sepa-credit-transfers").meta({
    title: "Payment product",
    description: "Payment scheme; a pain.001 document is sent with the product of the same scheme.",
  }),
  date: day("Execution date", "Requested execution date; default as soon as possible.").optional(),
  allow_duplicates: z.int().array().optional().meta({
    title: "Allowed duplicates",
    description: "Row numbers whose payments repeat others on purpose.",
  }),
};

export const runRules = [
  {
    kind: "exactly-one",
    fields: ["rows", "rows_csv", "pain001"],
    description: "Exactly one of rows, rows_csv and pain001 must be given.",
  },
  {
    kind: "needed-unless",
    fields: ["debtor_iban"],
    unless: { pain001: "given" },
    description: "debtor_iban is required without pain001.",
  },
] as const;

export type RunInput = ProcedureValues<typeof runFields>;

/** A run as understood. */
export interface PaymentRun {
  readonly product: (typeof products)[number];
  readonly rows: readonly RunRow[];
  /** IBAN or other number of the account to debit. */
  readonly debtor: string;
  readonly date: string | undefined;
  readonly document: string | undefined;
  readonly allowed: ReadonlySet<number>;
}

const violation = (operation: string, message: string) =>
  invalidInputError({ name: operation }, [{ field: "pain001", message }]);

/** Reads a document. One release and one call need one account and one date. */
function readDocument(operation: string, document: string, given: RunInput) {
  const transfers = readCreditTransfers(document);
  if (!transfers)
    throw violation(operation, "cannot be read without doubt; check the document with its writer");
  const only = (what: string, values: readonly (string | undefined)[]) => {
    const [first, ...others] = new Set(values);
    if (others.length > 0)
      throw violation(operation, `must have one ${what}; split it into several documents`);
    return first;
  };
  const debtor = only(
    "account to debit",
    transfers.map(({ account }) => account),
  );
  const date = only(
    "execution date",
    transfers.map(({ date: each }) => each),
  );
  if (debtor === undefined) throw violation(operation, "has no account to debit");
  for (const [field, value, own] of [
    ["debtor_iban", given.debtor_iban, debtor],
    ["date", given.date, date?.slice(0, 10)],
  ] as const)
    if (value !== undefined && normalizeAccountNumber(value) !== normalizeAccountNumber(own ?? ""))
      throw invalidInputError({ name: operation }, [
        { field, message: `differs from the document, which has ${own}` },
      ]);
  return { rows: transfers.map(rowOfTransfer), debtor, date: date?.slice(0, 10) };
}

type ReadRow = GivenRow & Pick<RunRow, "row" | "addressLines">;

/** Returns a row in one spelling, so that another spelling of the same payment is no other payment. */
function inOneSpelling(given: ReadRow): RunRow {
  const row = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      typeof value === "string" ? value.trim().replace(/\s+/g, " ") : value,
    ]),
  ) as ReadRow;
  const { currency = "EUR", amount, iban } = row;
  return {
    ...row,
    currency,
    amount: formatAmount(new Big(amount), currency),
    iban: normalizeAccountNumber(iban),
  };
}

/** Reads the input of a run. Throws InvalidInput for what cannot be read as rows. */
export function readRun(operation: string, input: RunInput): PaymentRun {
  const {
    rows,
    rows_csv: csv,
    pain001: document,
    debtor_iban: debtor,
    date,
    allow_duplicates: allowed,
  } = input;
  const shared = { product: input["payment-product"], document, allowed: new Set(allowed) };
  const read =
    document === undefined
      ? {
          rows:
            csv === undefined
              ? normalizeEntries(operation, "rows", rows!, columns, PaymentRow).map((each, index) => ({
                  ...each,
                  row: index + 1,
                }))
              : rowsOfCsv(operation, csv),
          debtor: debtor!,
          date,
        }
      : readDocument(operation, document, input);
  return {
    ...shared,
    ...read,
    debtor: normalizeAccountNumber(read.debtor),
    rows: read.rows.map((each: ReadRow) => inOneSpelling(each)),
  };
}

export const UnderstoodRow = z
  .object({
    row: z.int().describe("Row number: item number from 1, for CSV text the line number."),
    payee: textField("Name of the payee."),
    iban: textField("IBAN of the payee."),
    amount: textField("Amount, decimal text."),
    currency: textField("ISO 4217 code."),
    reference: optionalTextField("Remittance information."),
  })
  .meta({ id: "UnderstoodPayment", description: "One payment of a run as understood." });

type BulkPayment = z.input<typeof NewBulkPayment>;

const addressOf = ({ street, building_number, post_code, town, country }: RunRow) => ({
  ...(country !== undefined && {
    creditorAddress: {
      country,
      ...(street !== undefined && { streetName: street }),
      ...(building_number !== undefined && { buildingNumber: building_number }),
      ...(post_code !== undefined && { postCode: post_code }),
      ...(town !== undefined && { townName: town }),
    },
  }),
});

/** Returns the fields of payments.initiateBulk. */
export const bulkInputOf = ({ product, rows, debtor, date, document }: PaymentRun) =>
  document === undefined
    ? {
        "payment-product": product,
        debtorAccount: { iban: debtor },
        payments: rows.map((row): NonNullable<BulkPayment["payments"]>[number] => ({
          instructedAmount: { currency: row.currency, amount: row.amount },
          creditorAccount: { iban: row.iban },
          creditorName: row.payee,
          ...(row.bic !== undefined && { creditorAgent: row.bic }),
          ...(row.reference !== undefined && { remittanceInformationUnstructured: row.reference }),
          ...(row.end_to_end !== undefined && { endToEndIdentification: row.end_to_end }),
          ...addressOf(row),
        })),
        ...(date !== undefined && { requestedExecutionDate: date }),
      }
    : { "payment-product": `pain.001-${product}` as const, pain001: document };
