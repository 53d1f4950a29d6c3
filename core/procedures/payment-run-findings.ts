/** Findings of a payment run that its rows alone show: accounts, banks, addresses, currency, dates and duplicates. */
import { z } from "zod";
import {
  dayOf,
  firstInstructableDay,
  nextOpenDay,
  paymentSystemOf,
  type ServiceCutOffs,
  withServiceCutOff,
} from "../calendars";
import { hasValidCheckDigits, ibanLengthOf, isIban } from "../values/account-number";
import { textField } from "./result-fields";
import type { PaymentRun, RunRow } from "./payment-run-rows";

const codes = [
  "iban_invalid",
  "iban_length",
  "iban_check_digits",
  "bic_invalid",
  "bic_country",
  "currency_not_in_scheme",
  "address_unstructured",
  "date_past",
  "date_closed",
  "cut_off_passed",
  "account_changed",
  "duplicate_in_run",
  "duplicate_of_earlier",
  "duplicate_possible",
  "balance_short",
  "field_invalid",
  "not_compared",
] as const;

export const Finding = z
  .object({
    row: z.int().optional().describe("Row number; absent if the finding concerns the whole run."),
    code: z.enum(codes).describe("Kind of the finding."),
    severity: z
      .enum(["error", "warning"])
      .describe("`error`: the run is not sent; `warning`: a person decides."),
    message: textField("The finding in one sentence."),
  })
  .meta({ id: "PaymentFinding", description: "A finding in a payment run." });

export type Finding = z.output<typeof Finding>;

type Code = Finding["code"];

export const errorOf = (row: number | undefined, code: Code, message: string): Finding => ({
  ...(row !== undefined && { row }),
  code,
  severity: "error",
  message,
});

export const warningOf = (row: number | undefined, code: Code, message: string): Finding => ({
  ...errorOf(row, code, message),
  severity: "warning",
});

function checkIban({ row, iban }: RunRow, { product, document }: PaymentRun): Finding[] {
  // Accounts outside the scheme may have other numbers, which a document names by itself.
  if (iban === "" && document !== undefined && product === "cross-border-credit-transfers") return [];
  if (iban === "") return [errorOf(row, "iban_invalid", "The payee's IBAN is missing.")];
  if (!isIban(iban)) return [errorOf(row, "iban_invalid", `${iban} is not an IBAN.`)];
  const length = ibanLengthOf(iban);
  const country = iban.slice(0, 2);
  if (length === undefined) return [errorOf(row, "iban_invalid", `${iban}: ${country} has no IBANs.`)];
  if (iban.length !== length)
    return [
      errorOf(
        row,
        "iban_length",
        `${iban} has ${iban.length} characters, but an IBAN of ${country} has ${length}.`,
      ),
    ];
  return hasValidCheckDigits(iban)
    ? []
    : [errorOf(row, "iban_check_digits", `The check digits of ${iban} are wrong: a digit is mistyped.`)];
}

const bicPattern = /^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3})?$/;

/** Territories whose banks have a country code of their own in BICs. */
const territories: Readonly<Record<string, readonly string[]>> = {
  FR: ["GF", "GP", "MQ", "RE", "PF", "TF", "YT", "NC", "BL", "MF", "PM", "WF", "MC"],
  GB: ["IM", "GG", "JE"],
  FI: ["AX"],
};

function checkBic({ row, bic, iban }: RunRow): Finding[] {
  if (bic === undefined) return [];
  if (!bicPattern.test(bic))
    return [errorOf(row, "bic_invalid", `${bic} is not a BIC of 8 or 11 characters.`)];
  const [bank, account] = [bic.slice(4, 6), iban.slice(0, 2)];
  if (bank === account || !isIban(iban) || territories[account]?.includes(bank)) return [];
  return [
    warningOf(row, "bic_country", `The bank of BIC ${bic} is in ${bank}, but the IBAN is of ${account}.`),
  ];
}

function checkCurrency({ row, currency }: RunRow, { product }: PaymentRun): Finding[] {
  if (currency === "EUR" || product === "cross-border-credit-transfers") return [];
  return [errorOf(row, "currency_not_in_scheme", `${product} pays EUR only, not ${currency}.`)];
}

/** From this settlement day on, schemes and banks refuse addresses without town and country in fields of their own. */
const structuredFrom = "2026-11-15";

const maxHybridLines = 2;

function checkAddress(row: RunRow, { document }: PaymentRun, settles: string): Finding[] {
  const { address, addressLines = address === undefined ? 0 : 1, street, building_number, post_code } = row;
  const { town, country } = row;
  const isGiven = [street, building_number, post_code, town, country].some((each) => each !== undefined);
  if (addressLines === 0 && !isGiven) return [];
  const isLocated = town !== undefined && country !== undefined;
  const found = settles < structuredFrom ? warningOf : errorOf;
  const advice = "Give town and country in their own fields, or leave the address out.";
  if (!isLocated)
    return [
      found(
        row.row,
        "address_unstructured",
        `The payee's address has no ${town === undefined ? "town" : "country"} of its own and is refused from ${structuredFrom}. ${advice}`,
      ),
    ];
  if (addressLines === 0) return [];
  if (document === undefined)
    return [
      warningOf(
        row.row,
        "address_unstructured",
        "Only town, country and the other fields of the address are sent, not its lines.",
      ),
    ];
  return addressLines > maxHybridLines
    ? [
        found(
          row.row,
          "address_unstructured",
          `The payee's address has ${addressLines} lines beside town and country; at most ${maxHybridLines} are allowed.`,
        ),
      ]
    : [];
}

const systemOf = ({ product, rows }: PaymentRun) => paymentSystemOf(rows[0]!.currency, product);

/** Returns the system with the cut-off of the service; undefined if that is not set. */
const knownSystemOf = (run: PaymentRun, cutOffs: ServiceCutOffs) => withServiceCutOff(systemOf(run), cutOffs);

/** Returns the first day of settlement. Without the cut-off of the service, it can be later. */
export function settlementDay(run: PaymentRun, now: Date, cutOffs: ServiceCutOffs): string {
  const wanted = run.date ?? dayOf(now);
  const system = knownSystemOf(run, cutOffs);
  return system ? firstInstructableDay(system, now, wanted) : nextOpenDay(systemOf(run), wanted);
}

/** Checks the execution date by the settlement calendar and the cut-offs of the service. */
export function checkDate(
  run: PaymentRun,
  now: Date,
  cutOffs: ServiceCutOffs,
): { findings: Finding[]; notChecked: string[] } {
  const { date } = run;
  const today = dayOf(now);
  if (date !== undefined && date < today)
    return {
      findings: [errorOf(undefined, "date_past", `The execution date ${date} is past.`)],
      notChecked: [],
    };
  const system = knownSystemOf(run, cutOffs);
  const open = nextOpenDay(systemOf(run), date ?? today);
  const next = settlementDay(run, now, cutOffs);
  const findings: Finding[] = [];
  if (date !== undefined && open !== date)
    findings.push(
      warningOf(
        undefined,
        "date_closed",
        `Banks are closed on ${date}; the next day of settlement is ${next}.`,
      ),
    );
  else if (next !== open)
    findings.push(
      warningOf(
        undefined,
        "cut_off_passed",
        `The cut-off time for ${open} has passed; the next day of settlement is ${next}.`,
      ),
    );
  return {
    findings,
    notChecked: system ? [] : ["not checked: cut-off time, because FXDESK_CUT_OFFS is not set."],
  };
}

/** Returns the findings of each row by itself. */
export function checkRows(run: PaymentRun, now: Date, cutOffs: ServiceCutOffs): Finding[] {
  const settles = settlementDay(run, now, cutOffs);
  return run.rows.flatMap((row) => [
    ...checkIban(row, run),
    ...checkBic(row),
    ...checkCurrency(row, run),
    ...checkAddress(row, run, settles),
  ]);
}
