/** statements.convert: converts a statement file to data or to another format. */
import { z } from "zod";
import { json } from "../spec/declare";
import { invalidInputError } from "../call/call-errors";
import { FormatError, detectTextKind } from "../files/format-error";
import { readCoda } from "../files/coda/read";
import { writeCoda } from "../files/coda/write";
import { readCsv } from "../files/csv/read";
import { writeCsv } from "../files/csv/write";
import { readMt940 } from "../files/mt940/read";
import { writeMt940 } from "../files/mt940/write";
import type { Source, Statement, StatementSource } from "../files/statement";
import type { TextSource } from "../files/text-lines";
import { deliveredFileFields } from "../spec/procedure";
import { procedure } from "./procedure";
import { countField, currencyField, optionalTextField, textField } from "./result-fields";

const name = "statements.convert";

interface StatementFormat {
  readonly read: (text: TextSource) => AsyncIterable<Statement>;
  readonly write: (statements: Source<StatementSource>) => AsyncIterable<string>;
  readonly extension: string;
  readonly contentType: string;
}

const toAscii = "text/plain; charset=us-ascii";

const formats = {
  mt940: { read: readMt940, write: (all) => writeMt940(all), extension: "sta", contentType: toAscii },
  coda: { read: readCoda, write: writeCoda, extension: "cod", contentType: toAscii },
  csv: { read: readCsv, write: writeCsv, extension: "csv", contentType: "text/csv; charset=utf-8" },
} as const satisfies Readonly<Record<string, StatementFormat>>;

const formatNames = ["mt940", "coda", "csv"] as const;
type FormatName = (typeof formatNames)[number];

const Amount = textField("Decimal amount without a sign, in the currency of the account.");
const CreditDebit = z
  .enum(["Credit", "Debit"])
  .describe("`Credit` increases the balance, `Debit` decreases it.");
const Day = textField("YYYY-MM-DD.");

const StatementBalance = z
  .object({ creditDebit: CreditDebit, amount: Amount, date: Day })
  .readonly()
  .meta({ id: "StatementBalance", description: "A balance with its date." });
const balance = (description: string) => StatementBalance.meta({ description });

const Money = z.object({ amount: textField("Decimal amount."), currency: currencyField }).readonly();

const entryFields = {
  bookingDate: Day.describe("Booking date."),
  valueDate: Day.describe("Value date."),
  amount: Amount,
  creditDebit: CreditDebit,
  reversal: z.boolean().optional().describe("True if the entry reverses an earlier one."),
  transactionCode: optionalTextField("SWIFT transaction type or CODA transaction code."),
  customerReference: optionalTextField("Account owner's reference."),
  bankReference: optionalTextField("Bank reference."),
  endToEndId: optionalTextField("End-to-end reference."),
  mandateId: optionalTextField("Mandate ID of a direct debit."),
  creditorId: optionalTextField("Creditor identifier of a direct debit."),
  counterparty: z
    .object({
      name: optionalTextField("Name of the counterparty."),
      account: optionalTextField("Account of the counterparty."),
      bic: optionalTextField("BIC or name of the counterparty's bank."),
    })
    .readonly()
    .optional()
    .describe("Counterparty."),
  creditorReference: optionalTextField("Structured remittance reference."),
  remittance: optionalTextField("Remittance information."),
  purpose: optionalTextField("ISO 20022 purpose code."),
  returnReason: optionalTextField("ISO 20022 return reason code."),
  exchangeRate: optionalTextField("Exchange rate as a decimal string."),
  instructedAmount: Money.optional().describe("Amount before exchange and charges."),
  charges: Money.optional().describe("Bank charges."),
  additionalInformation: optionalTextField("Further information from the bank."),
};

const Entry = z
  .object({
    ...entryFields,
    details: z
      .array(
        z
          .object(entryFields)
          .readonly()
          .meta({ id: "StatementEntryPart", description: "A detail of a batch entry." }),
      )
      .readonly()
      .optional()
      .describe("Details of a batch entry; they do not add to the balance."),
  })
  .readonly()
  .meta({ id: "StatementEntry", description: "A statement entry." });

const BankStatement = z.object({
  account: z
    .object({
      number: textField("IBAN or account number."),
      currency: currencyField,
      bic: optionalTextField("BIC of the bank."),
      holder: optionalTextField("Account holder."),
    })
    .readonly()
    .describe("The account."),
  reference: optionalTextField("Statement ID."),
  number: countField("Statement number."),
  openingBalance: balance("Opening booked balance."),
  closingBalance: balance("Closing booked balance."),
  availableBalance: balance("Closing available balance.").optional(),
  forwardBalances: z
    .array(balance("Forward available balance."))
    .readonly()
    .optional()
    .describe("Forward available balances."),
  information: optionalTextField("Further information about the statement."),
  entries: z.array(Entry).readonly().describe("Entries in statement order."),
});

const ConvertedStatements = z
  .object({
    from: z.enum(formatNames).describe("Format of the input file."),
    statement_count: countField("Number of statements."),
    entry_count: countField("Number of entries."),
    statements: z
      .array(BankStatement.readonly())
      .optional()
      .describe("The statements, if JSON was requested."),
    file: z.object(deliveredFileFields).optional().describe("The converted file."),
  })
  .meta({ id: "ConvertedStatements", description: "A converted statement file." });

/** Converts format errors to violations of the input field. */
async function withFieldErrors<T>(field: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FormatError)
      throw invalidInputError({ name }, [{ field, message: `cannot be read: ${error.message}` }]);
    throw error;
  }
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/** Decodes UTF-8, or Windows-1252 if the bytes are not valid UTF-8: banks use both. */
function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function detectFormat(content: string): FormatName {
  const start = content.replace(/^\uFEFF?\s*/, "").slice(0, 200);
  const kind = detectTextKind(start);
  if (kind === "MT940" || kind === "CODA") return kind === "CODA" ? "coda" : "mt940";
  return "csv";
}

async function readAll(format: FormatName, content: string): Promise<Statement[]> {
  const statements: Statement[] = [];
  for await (const statement of formats[format].read(content)) statements.push(statement);
  return statements;
}

async function* encodeChunks(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

export const convertStatements = procedure({
  name,
  tool: "convert_statement",
  title: "Convert bank statement",
  summary: "Converts a statement file between MT940, CODA and CSV, or returns its entries as JSON.",
  notes: "PDF, XLS and camt.053 are not supported, and inconsistent files are rejected.",
  icon: "font-awesome/fa-random",
  keywords: ["parse", "read", "spreadsheet", "Kontoauszug", "umwandeln"],
  effect: "read",
  uses: [],
  deliversFiles: true,
  input: {
    content: z.string().optional().meta({ title: "Content", description: "Content of the file as text." }),
    content_base64: z.string().regex(base64, "must be Base64").optional().meta({
      title: "Content in Base64",
      description: "Content of the file in Base64, instead of `content`.",
    }),
    from: z
      .enum(["auto", ...formatNames])
      .default("auto")
      .meta({ title: "From format", description: "Format of the input; `auto` detects it." }),
    to: z
      .enum(["json", ...formatNames])
      .default("json")
      .meta({
        title: "To format",
        description: "Format of the result: `json` returns data, the others a file.",
      }),
  },
  rules: [
    {
      kind: "exactly-one",
      fields: ["content", "content_base64"],
      description: "Exactly one of content and content_base64 must be given.",
    },
  ],
  output: json(ConvertedStatements, "The statements."),
  async run({ deliver }, { content, content_base64: bytes, from: given, to }) {
    const field = bytes === undefined ? "content" : "content_base64";
    const text = bytes === undefined ? content! : decodeText(Buffer.from(bytes, "base64"));
    const from = given === "auto" ? detectFormat(text) : given;
    const statements = await withFieldErrors(field, () => readAll(from, text));
    if (statements.length === 0)
      throw invalidInputError({ name }, [{ field, message: "must contain a statement" }]);
    const entries = statements.reduce((count, each) => count + each.entries.length, 0);
    const counts = { from, statement_count: statements.length, entry_count: entries };
    if (to === "json") return { ...counts, statements };
    const { write, extension, contentType } = formats[to];
    const { account, closingBalance } = statements[0]!;
    const file = {
      name: `${account.currency}_${account.number}_${closingBalance.date}.${extension}`,
      contentType,
    };
    const location = await withFieldErrors("to", () =>
      deliver({ ...file, content: encodeChunks(write(statements)) }),
    );
    return { ...counts, file: { name: file.name, content_type: contentType, ...location } };
  },
});
