/** statements.convert: converts a statement file to data or to another format. */
import { z } from "zod";
import { hiddenFromModels, json } from "../spec/declare";
import { invalidInputError } from "../call/call-errors";
import { FormatError, detectTextKind, type ReadOptions } from "../files/format-error";
import { readCamt, readCamtParts } from "../files/camt/read";
import { type CamtVersion, writeCamt } from "../files/camt/write";
import { normaliseCoda } from "../files/coda/normalise";
import { readCodaParts } from "../files/coda/read";
import { writeCoda } from "../files/coda/write";
import { readBankCsvParts } from "../files/csv/bank-read";
import { matchBankHeadings } from "../files/csv/headings";
import { csvLayouts, type CsvMap, parseCsvMap } from "../files/csv/map";
import { planCsv } from "../files/csv/plan";
import { isOwnCsv, readCsvParts } from "../files/csv/read";
import { normaliseCsv, writeCsv } from "../files/csv/write";
import { statementsFrom, surveyParts } from "../files/conversion";
import { LossCounter } from "../files/losses";
import { normaliseMt940 } from "../files/mt940/fields";
import { readMt940Parts } from "../files/mt940/read";
import { writeMt940 } from "../files/mt940/write";
import type { PostalAddress, Source, Statement, StatementSource } from "../files/statement";
import { collectStatements, type StatementPart } from "../files/statement-parts";
import type { TextSource } from "../files/text-lines";
import { deliveredFileFields } from "../spec/procedure";
import { procedure } from "./procedure";
import { beginningOf, openBytes, openFile, type OpenText } from "./statement-input";
import { countField, currencyField, optionalTextField, textField } from "./result-fields";

const name = "statements.convert";

interface FileFormat {
  readonly write: (statements: Source<StatementSource>) => AsyncIterable<string>;
  /** Returns a statement as the format represents it. */
  readonly hold: (statement: Statement) => Statement | Promise<Statement>;
  readonly extension: string;
  readonly contentType: string;
}

const toAscii = "text/plain; charset=us-ascii";

const camtWriter = (version: CamtVersion): FileFormat => ({
  write: (all) => writeCamt(all, version),
  hold: async (statement) => {
    const [held] = await collectAll(readCamt(writeCamt([statement], version), { tolerate: true }));
    return held!;
  },
  extension: "xml",
  contentType: "application/xml",
});

/** Writes a line for each statement without its entries, followed by one for each entry. */
async function* writeJsonLines(statements: Source<StatementSource>): AsyncGenerator<string> {
  for await (const { entries, ...statement } of statements) {
    yield `${JSON.stringify({ statement })}\n`;
    for await (const entry of entries) yield `${JSON.stringify({ entry })}\n`;
  }
}

const writers = {
  mt940: {
    write: (all) => writeMt940(all),
    hold: (statement) => normaliseMt940(statement),
    extension: "sta",
    contentType: toAscii,
  },
  coda: { write: writeCoda, hold: normaliseCoda, extension: "cod", contentType: toAscii },
  csv: { write: writeCsv, hold: normaliseCsv, extension: "csv", contentType: "text/csv; charset=utf-8" },
  "camt.053.001.08": camtWriter("08"),
  "camt.053.001.02": camtWriter("02"),
  jsonl: {
    write: writeJsonLines,
    hold: (statement) => statement,
    extension: "jsonl",
    contentType: "application/jsonl; charset=utf-8",
  },
} as const satisfies Readonly<Record<string, FileFormat>>;

const readers = {
  mt940: readMt940Parts,
  coda: readCodaParts,
  csv: readCsvParts,
  camt: readCamtParts,
} as const satisfies Readonly<
  Record<string, (text: TextSource, options: ReadOptions) => AsyncIterable<StatementPart>>
>;

const readNames = ["mt940", "coda", "csv", "camt"] as const satisfies readonly (keyof typeof readers)[];
const writeNames = ["mt940", "coda", "csv", "camt.053.001.08", "camt.053.001.02", "jsonl"] as const;
type ReadName = (typeof readNames)[number];

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

const TypedBalance = z
  .object({
    type: textField("ISO 20022 balance code, for example ITBD, or the bank's own."),
    currency: currencyField,
    creditDebit: CreditDebit,
    amount: Amount,
    date: Day,
  })
  .readonly();

const Money = z.object({ amount: textField("Decimal amount."), currency: currencyField }).readonly();

const addressNames = [
  "department",
  "street",
  "buildingNumber",
  "buildingName",
  "floor",
  "postBox",
  "room",
  "postCode",
  "town",
  "district",
  "subdivision",
  "country",
] as const satisfies readonly (keyof PostalAddress)[];

const Address = z
  .object({
    ...(Object.fromEntries(addressNames.map((field) => [field, z.string().optional()])) as Record<
      (typeof addressNames)[number],
      z.ZodOptional<z.ZodString>
    >),
    lines: z.array(z.string()).readonly().optional(),
  })
  .readonly()
  .meta({ id: "PostalAddress", description: "A postal address in its elements; `lines` are unstructured." });

const entryFields = {
  bookingDate: Day.describe("Booking date."),
  valueDate: Day.describe("Value date."),
  amount: Amount,
  creditDebit: CreditDebit,
  reversal: z.boolean().optional().describe("True if the entry reverses an earlier one."),
  status: z
    .enum(["Pending", "Future", "Information"])
    .optional()
    .describe("Missing for a booked entry; others do not change the booked balance."),
  transactionCode: optionalTextField("SWIFT transaction type or CODA transaction code."),
  bankTransactionCode: optionalTextField("ISO 20022 domain, family and sub-family."),
  proprietaryCode: optionalTextField("The bank's own transaction code."),
  customerReference: optionalTextField("Account owner's reference."),
  bankReference: optionalTextField("Bank reference."),
  endToEndId: optionalTextField("End-to-end reference."),
  messageId: optionalTextField("ID of the payment message."),
  paymentInformationId: optionalTextField("ID of the batch in the payment message."),
  transactionId: optionalTextField("ID of the transaction between banks."),
  uetr: optionalTextField("Unique end-to-end transaction reference, a UUID."),
  mandateId: optionalTextField("Mandate ID of a direct debit."),
  creditorId: optionalTextField("Creditor identifier of a direct debit."),
  counterparty: z
    .object({
      name: optionalTextField("Name of the counterparty."),
      account: optionalTextField("Account of the counterparty."),
      bic: optionalTextField("BIC or name of the counterparty's bank."),
      address: Address.optional(),
      id: optionalTextField("Identifier of the counterparty."),
      lei: optionalTextField("Legal Entity Identifier."),
      bankName: optionalTextField("Name of the counterparty's bank."),
      bankAddress: Address.optional(),
      bankCode: optionalTextField("National clearing number of the bank."),
    })
    .readonly()
    .optional()
    .describe("Counterparty."),
  ultimateCounterparty: optionalTextField("Party on whose behalf the counterparty pays or receives."),
  creditorReference: optionalTextField("Structured remittance reference."),
  remittance: optionalTextField("Remittance information."),
  documents: z
    .array(
      z
        .object({
          type: optionalTextField("ISO 20022 document type, for example CINV."),
          number: optionalTextField("Document number."),
          date: optionalTextField("Document date."),
          amount: Money.optional(),
          creditNote: z.boolean().optional(),
        })
        .readonly(),
    )
    .readonly()
    .optional()
    .describe("Documents that the payment settles."),
  purpose: optionalTextField("ISO 20022 purpose code."),
  returnReason: optionalTextField("ISO 20022 return reason code."),
  returnText: optionalTextField("Further information on the return."),
  exchangeRate: optionalTextField("Exchange rate as a decimal string."),
  exchange: z
    .object({
      source: optionalTextField("Source currency."),
      target: optionalTextField("Target currency."),
      unit: optionalTextField("Currency of which the rate counts one unit."),
    })
    .readonly()
    .optional()
    .describe("Currencies of the exchange."),
  instructedAmount: Money.optional().describe("Amount before exchange and charges."),
  charges: Money.optional().describe("Total of the bank charges."),
  chargeRecords: z
    .array(
      z
        .object({
          amount: textField("Decimal amount."),
          currency: currencyField,
          creditDebit: CreditDebit.optional(),
          included: z.boolean().optional().describe("True if part of the amount."),
          type: optionalTextField("Kind of charge."),
        })
        .readonly(),
    )
    .readonly()
    .optional()
    .describe("The single charges."),
  additionalInformation: optionalTextField("Further information from the bank."),
};

const Entry = z
  .object({
    ...entryFields,
    batch: z
      .object({
        messageId: optionalTextField("ID of the payment message."),
        paymentInformationId: optionalTextField("ID of the batch."),
        count: z.number().optional().describe("Number of transactions."),
        amount: Money.optional(),
      })
      .readonly()
      .optional()
      .describe("The order that was booked as one sum."),
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

const Violation = z
  .object({
    rule: z
      .enum([
        "unrecognised",
        "missing",
        "misplaced",
        "invalid",
        "too_long",
        "balance",
        "control_sum",
        "check_digits",
        "ambiguous",
      ])
      .describe("The rule that is broken."),
    severity: z
      .enum(["error", "warning"])
      .describe("`error`: an entry is missing or sums may be wrong. `warning`: entries and sums are right."),
    field: textField("Tag, record, column or element."),
    line: z.number().optional().describe("Line of the file, from 1."),
    message: textField("The fault."),
  })
  .readonly()
  .meta({ id: "StatementViolation", description: "A fault of the file." });

const BankStatement = z.object({
  kind: z.enum(["Interim", "Notification"]).optional().describe("Missing for an end-of-day statement."),
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
  openingBalance: balance("Opening booked balance.").optional(),
  closingBalance: balance("Closing booked balance.").optional(),
  availableBalance: balance("Closing available balance.").optional(),
  forwardBalances: z
    .array(balance("Forward available balance."))
    .readonly()
    .optional()
    .describe("Forward available balances."),
  otherBalances: z.array(TypedBalance).readonly().optional().describe("Balances of other kinds."),
  information: optionalTextField("Further information about the statement."),
  entries: z.array(Entry).readonly().describe("Entries in statement order."),
  violations: z.array(Violation).readonly().optional().describe("Faults found in the statement."),
});

const ConvertedStatements = z
  .object({
    from: z.enum(readNames).describe("Format of the input file."),
    map: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("The column map of a bank's CSV, guessed or given. Keep it to read later files."),
    layout: optionalTextField("Name of the known layout that a bank's CSV has."),
    statement_count: countField("Number of statements."),
    entry_count: countField("Number of entries."),
    statements: z
      .array(BankStatement.readonly())
      .optional()
      .describe("The statements, if JSON was requested."),
    file: z.object(deliveredFileFields).optional().describe("The converted file."),
    losses: z
      .array(
        z.object({
          field: textField("Field, for example entries.counterparty.address."),
          kind: z
            .enum(["missing", "changed"])
            .describe(
              "`missing`: not in the file. `changed`: cut, spelled otherwise or joined with other texts.",
            ),
          count: countField("Number of values."),
        }),
      )
      .optional()
      .describe("What the converted file cannot hold; empty if it holds everything."),
    violations: z
      .array(Violation)
      .readonly()
      .optional()
      .describe("Faults of a file that was converted to another; at most the first 1000."),
    violation_count: countField("Number of all faults.").optional(),
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

const detectableFormats: Readonly<Record<string, ReadName>> = { MT940: "mt940", CODA: "coda", XML: "camt" };

/** Detects the format from the beginning of the text; what looks like no other format is CSV. */
const detectFormat = (beginning: string): ReadName =>
  detectableFormats[detectTextKind(beginning) ?? ""] ?? "csv";

/** True for a table that is not in fxdesk's own columns. */
const isBankCsv = (beginning: string): boolean =>
  (detectTextKind(beginning) ?? "CSV").startsWith("CSV") && beginning.trim() !== "" && !isOwnCsv(beginning);

/** Returns a column map by the name of its layout, or from JSON. */
async function toCsvMap(text: string | undefined): Promise<CsvMap | undefined> {
  if (text === undefined) return undefined;
  if (text.trimStart().startsWith("{")) return withFieldErrors("map", async () => parseCsvMap(text));
  if (Object.hasOwn(csvLayouts, text)) return csvLayouts[text];
  throw invalidInputError({ name }, [
    {
      field: "map",
      message: `must be a column map in JSON, or one of ${Object.keys(csvLayouts).join(", ")}`,
    },
  ]);
}

async function collectAll(found: AsyncIterable<Statement>): Promise<Statement[]> {
  const statements: Statement[] = [];
  for await (const statement of found) statements.push(statement);
  return statements;
}

const pieceLength = 65_536;

/** Encodes text in large pieces, because writing each row alone is slow. */
async function* encodeChunks(chunks: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let rows: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    rows.push(chunk);
    length += chunk.length;
    if (length < pieceLength) continue;
    yield Buffer.from(rows.join(""));
    rows = [];
    length = 0;
  }
  yield Buffer.from(rows.join(""));
}

export const convertStatements = procedure({
  name,
  tool: "convert_statement",
  title: "Convert bank statement",
  summary:
    "Converts a statement file (camt.053, MT940, CODA, CSV) to another of these formats, or returns its entries as JSON.",
  notes:
    "`losses` lists what the target format cannot hold; PDF and XLS are not supported, and inconsistent files are rejected unless `tolerate` is true.",
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
    path: hiddenFromModels(
      z.string().min(1).optional().meta({
        title: "Path",
        description: "Path of the file, instead of its content. Files of any size are read in little memory.",
      }),
    ),
    from: z
      .enum(["auto", ...readNames])
      .default("auto")
      .meta({ title: "From format", description: "Format of the input; `auto` detects it." }),
    to: z
      .enum(["json", ...writeNames])
      .default("json")
      .meta({
        title: "To format",
        description:
          "Format of the result: `json` returns data, the others a file; `jsonl` has a line for each statement and entry.",
      }),
    map: z
      .string()
      .min(1)
      .optional()
      .meta({
        title: "Column map",
        description: `Columns of a bank's CSV: ${Object.keys(csvLayouts)
          .map((layout) => `\`${layout}\``)
          .join(", ")}, or a column map in JSON. Guessed from the headings if omitted.`,
        matchHeadings: matchBankHeadings,
      }),
    tolerate: z.boolean().default(false).meta({
      title: "Tolerate faults",
      description:
        "True to read every entry that can be read, with the faults as `violations`. Otherwise the first error refuses the file.",
    }),
  },
  rules: [
    {
      kind: "exactly-one",
      fields: ["content", "content_base64", "path"],
      description: "Exactly one of content, content_base64 and path must be given.",
    },
  ],
  output: json(ConvertedStatements, "The statements."),
  async run({ deliver }, input) {
    const { content, content_base64: bytes, path, from: given, to, tolerate } = input;
    const field = path !== undefined ? "path" : bytes !== undefined ? "content_base64" : "content";
    const givenMap = await toCsvMap(input.map);
    const encoding = givenMap?.encoding;
    const open: OpenText =
      path !== undefined
        ? await openFile(name, field, path, encoding)
        : bytes !== undefined
          ? await openBytes(Buffer.from(bytes, "base64"), encoding)
          : () => content!;
    const beginning = await beginningOf(open, 1000);
    const from = given === "auto" ? (givenMap ? "csv" : detectFormat(beginning)) : given;
    if (givenMap && from !== "csv")
      throw invalidInputError({ name }, [{ field: "from", message: "must be csv if a column map is given" }]);
    const plan =
      givenMap || (from === "csv" && isBankCsv(beginning))
        ? await withFieldErrors(field, () => planCsv(open(), givenMap))
        : undefined;
    const read = () =>
      plan ? readBankCsvParts(open(), plan, { tolerate }) : readers[from](open(), { tolerate });
    const format = {
      from,
      ...(plan && { map: plan.map, ...(plan.layout !== undefined && { layout: plan.layout }) }),
    };
    const assertFound = (found: readonly unknown[]) => {
      if (found.length === 0)
        throw invalidInputError({ name }, [{ field, message: "must contain a statement" }]);
    };
    if (to === "json") {
      const statements = await withFieldErrors(field, () => collectAll(collectStatements(read())));
      assertFound(statements);
      const entries = statements.reduce((count, each) => count + each.entries.length, 0);
      return { ...format, statement_count: statements.length, entry_count: entries, statements };
    }
    const { write, hold, extension, contentType } = writers[to];
    const counter = new LossCounter((statement) => withFieldErrors("to", async () => hold(statement)));
    const survey = await withFieldErrors(field, () => surveyParts(read(), counter));
    assertFound(survey.statements);
    const { account, closingBalance } = survey.statements[0]!.frame;
    const file = {
      name: [account.currency, account.number, closingBalance?.date]
        .filter(Boolean)
        .join("_")
        .concat(`.${extension}`),
      contentType,
    };
    const location = await withFieldErrors("to", () =>
      deliver({ ...file, content: encodeChunks(write(statementsFrom(survey, read()))) }),
    );
    return {
      ...format,
      statement_count: survey.statements.length,
      entry_count: survey.entryCount,
      file: { name: file.name, content_type: contentType, ...location },
      losses: [...counter.losses],
      ...(survey.violationCount > 0 && {
        violations: survey.violations,
        violation_count: survey.violationCount,
      }),
    };
  },
});
