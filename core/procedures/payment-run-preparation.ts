/** The findings, totals and request of a payment run. */
import { createHash } from "node:crypto";
import { Big } from "big.js";
import { z } from "zod";
import { parseCutOffs } from "../calendars";
import { initiateBulkPayment } from "../contract/payments";
import { formatAmount } from "../files/amount";
import { FxdeskError, InvalidInput } from "../spec/errors";
import { normalizeAccountNumber } from "../values/account-number";
import { canonicalJson } from "../values/json";
import { accountOperations, readBalances } from "./accounts";
import { signedAmount, sumBy } from "./decimal";
import { attempt, type Context } from "./procedure";
import { countField, currencyField, flagField, optionalTextField, textField } from "./result-fields";
import { checkDate, checkRows, errorOf, Finding, warningOf } from "./payment-run-findings";
import {
  comparedCalls,
  findChangedAccounts,
  findDuplicates,
  type History,
  readHistory,
} from "./payment-run-history";
import { bulkInputOf, type PaymentRun, readRun, type RunInput, UnderstoodRow } from "./payment-run-rows";

/** The operations that a preparation calls. */
export const preparationOperations = [
  ...accountOperations,
  "accounts.listBalances",
  "transactions.list",
] as const;

export const PreparedRun = z
  .object({
    run: textField("ID of the run, from its content: the same payments have the same ID."),
    ready: flagField("True if the run has no errors."),
    description: textField("Result in words."),
    findings: z.array(Finding).describe("Errors, which stop the run, and warnings."),
    not_checked: z
      .array(z.string())
      .describe("Checks that were not possible, with the reason; empty if all were."),
    totals: z
      .array(
        z.object({
          currency: currencyField,
          count: countField("Number of payments."),
          amount: textField("Total amount."),
          available: optionalTextField("Available balance of the debtor account."),
        }),
      )
      .describe("Exact totals per currency, beside the available balance."),
    rows: z.array(UnderstoodRow).describe("The payments as understood."),
    request: z.record(z.string(), z.unknown()).describe("Fields of payments.initiateBulk."),
  })
  .meta({ id: "PreparedRun", description: "A payment run with its findings." });

/** Returns the ID of a run: the same payments in any order have the same one, so that a repeated run is not another call. */
export function runIdOf(run: PaymentRun): string {
  const request = bulkInputOf(run);
  const content = canonicalJson({
    ...request,
    ...("payments" in request && { payments: request.payments.map(canonicalJson).toSorted() }),
    debtor: run.debtor,
    allowed: [...run.allowed].toSorted((one, other) => one - other),
  });
  return `run-${createHash("sha256").update(content).digest("hex").slice(0, 32)}`;
}

/** Returns what the declaration of the operation refuses in each row, which no own check has found. */
function findInvalidFields({ client }: Context, run: PaymentRun, found: readonly Finding[]): Finding[] {
  const reported = new Set(found.filter(({ severity }) => severity === "error").map(({ row }) => row));
  try {
    client.prepare(initiateBulkPayment, bulkInputOf(run));
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.violations.flatMap(({ field, message }) => {
      const [, index, name] = /^payments\.(\d+)\.(.*)$/.exec(field) ?? [];
      const row = index === undefined ? undefined : run.rows[Number(index)]!.row;
      if (row !== undefined && reported.has(row)) return [];
      return [errorOf(row, "field_invalid", `${name ?? field} ${message}.`)];
    });
  }
}

/** Returns the available balance of the debtor account, or why it is not known. */
async function readAvailable(context: Context, { debtor }: PaymentRun, { accounts }: History) {
  const account = accounts.find(({ account_details: details }) =>
    details?.some(({ account_number: number }) => normalizeAccountNumber(number ?? "") === debtor),
  );
  if (!account)
    return { reason: "not checked: available balance, because the debtor account is not listed." };
  const read = await attempt(context, () => readBalances(context, [account], ["InterimAvailable"]));
  const unread = read instanceof FxdeskError ? read.message : read[0]!.unread;
  const balance = read instanceof FxdeskError ? undefined : read[0]!.balances[0];
  if (!balance)
    return { reason: `not checked: available balance${unread === undefined ? "." : `: ${unread}`}` };
  const { amount, credit_debit_indicator: direction } = balance;
  return { currency: amount.currency, available: signedAmount(amount.amount, direction) };
}

/** Reads a run and checks it. Throws InvalidInput for what cannot be read as rows. */
export async function prepare(context: Context, operation: string, input: RunInput) {
  const run = readRun(operation, input);
  const id = runIdOf(run);
  const now = new Date();
  const cutOffs = parseCutOffs(context.client.settings["cutOffs"]);
  const history = await readHistory(context, id, now);
  const available = await readAvailable(context, run, history);
  const date = checkDate(run, now, cutOffs);
  const byRow = checkRows(run, now, cutOffs);
  const sums = sumBy(run.rows, ({ currency }) => currency);
  const totals = [...sums].map(([currency, amount]) => ({
    currency,
    count: run.rows.filter((each) => each.currency === currency).length,
    amount: formatAmount(amount, currency),
    ...(available.currency === currency && { available: formatAmount(available.available, currency) }),
  }));
  const isShort = (total: Big, currency: string) =>
    available.currency === currency && available.available.lt(total);
  const findings = [
    ...history.findings,
    ...date.findings,
    ...[...sums].flatMap(([currency, total]) =>
      isShort(total, currency)
        ? [
            warningOf(
              undefined,
              "balance_short",
              `The run pays ${formatAmount(total, currency)} ${currency}, more than the available balance.`,
            ),
          ]
        : [],
    ),
    ...[
      ...byRow,
      ...findInvalidFields(context, run, byRow),
      ...findDuplicates(run, history, now),
      ...findChangedAccounts(run, history),
    ].toSorted((one, other) => (one.row ?? 0) - (other.row ?? 0)),
  ];
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  const request = bulkInputOf(run);
  return {
    notCompared: history.notChecked,
    compared: { at: now.getTime(), known: comparedCalls(run, history) },
    prepared: {
      run: id,
      ready: errors === 0,
      description:
        errors === 0
          ? `Ready to be initiated. Payments: ${run.rows.length}; warnings: ${warnings}.`
          : `Not ready. Payments: ${run.rows.length}; errors: ${errors}; warnings: ${warnings}.`,
      findings,
      not_checked: [
        ...history.notChecked,
        ...date.notChecked,
        ...(available.reason === undefined ? [] : [available.reason]),
      ],
      totals,
      rows: run.rows.map(({ row, payee, iban, amount, currency, reference }) => ({
        row,
        payee,
        iban,
        amount,
        currency,
        ...(reference !== undefined && { reference }),
      })),
      request: { ...request },
    },
  };
}
