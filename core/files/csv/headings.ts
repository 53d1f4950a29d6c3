/** Headings of banks' CSV files in English, German, Dutch and French. */

import type { MatchedHeading } from "../../values/kind";
import { delimiters, parseBankRow } from "./cells";

/** Headings of each field, the most telling first. */
const headingsByField = {
  booking_date:
    "Buchungstag|Buchungsdatum|Booking date|Posting date|Boekingsdatum|Boekdatum|Date comptable|Date de comptabilisation|Date opération|Date d'opération|Transaction date|Transactiedatum|Uitvoeringsdatum|Completed date|Buchung|Datum|Date",
  value_date:
    "Valutadatum|Wertstellungsdatum|Wertstellung|Value date|Valuedate|Rentedatum|Date de valeur|Date valeur|Valuta",
  amount: "Betrag|Umsatz|Amount|Bedrag|Montant|Transaction amount|Transactiebedrag|Montant de l'opération",
  debit:
    "Soll|Belastung|Lastschrift|Debit|Debit amount|Paid out|Money out|Withdrawal|Withdrawals|Withdrawal amount|Afschrijving|Af|Débit|Montant débit",
  credit:
    "Haben|Gutschrift|Credit|Credit amount|Paid in|Money in|Deposit|Deposits|Deposit amount|Bijschrijving|Bij|Crédit|Montant crédit",
  mark: "Soll/Haben|S/H|Debit/Credit|Credit/Debit|D/C|C/D|CreditDebit|Credit debit indicator|Af Bij|Af/Bij|Debet/Credit|CreditDebet|Sens|Débit/Crédit",
  balance:
    "Saldo nach Buchung|Saldo|Kontostand|Balance|Running balance|Balance after|Balance after transaction|Saldo na trn|Saldo na mutatie|Saldo na boeking|Solde|Solde après opération",
  currency:
    "Währung|Currency|CCY|Munt|Muntsoort|Valutacode|Devise|Monnaie|Account currency|Kontowährung|Valuta",
  status: "Status|State|Info|Statut|Buchungsstatus",
  account_number:
    "IBAN Auftragskonto|Auftragskonto|IBAN Kontoinhaber|Own account|Account number|Account|Account IBAN|Rekeningnummer|Rekening|IBAN/BBAN|Numéro de compte|Compte",
  account_bic: "BIC Auftragskonto",
  counterparty_name:
    "Name Zahlungsbeteiligter|Beguenstigter/Zahlungspflichtiger|Auftraggeber/Empfänger|Empfänger/Auftraggeber|Auftraggeber/Begünstigter|Empfänger|Name|Counterparty name|Counterparty|Payee|Partner name|Beneficiary|Naam tegenpartij|Naam/Omschrijving|Tegenpartij|Nom contrepartie|Nom de la contrepartie|Contrepartie|Bénéficiaire",
  counterparty_account:
    "IBAN Zahlungsbeteiligter|Kontonummer/IBAN|Gegenkonto|Counterparty account|Counterparty IBAN|Bank account|Tegenrekening|Tegenrekening IBAN/BBAN|Rekening tegenpartij|Compte contrepartie|Compte de la contrepartie",
  counterparty_bic:
    "BIC (SWIFT-Code) Zahlungsbeteiligter|BIC (SWIFT-Code)|Counterparty BIC|BIC tegenpartij|BIC contrepartie",
  remittance_information:
    "Verwendungszweck|Remittance information|Description|Details|Narrative|Memo|Message|Label|Omschrijving|Omschrijving-1|Omschrijving-2|Omschrijving-3|Mededelingen|Mededeling|Libellé|Libellés|Communication|Communications",
  additional_information:
    "Buchungstext|Umsatzart|Vorgang|Transaction type|Type|Mutatiesoort|Type d'opération",
  end_to_end_id: "Kundenreferenz (End-to-End)|End-to-End-Referenz|End to end ID|End to end reference",
  mandate_id: "Mandatsreferenz|Mandate ID|Mandate reference|Machtigingskenmerk|Référence du mandat",
  creditor_id: "Gläubiger-ID|Gläubiger ID|Creditor ID|Creditor identifier|Incassant ID",
  bank_reference: "Bank reference|Volgnr|Numéro de mouvement",
} as const;

export type HeadingField = keyof typeof headingsByField;

/** Fields of which a file must not have two: the less telling heading could be the right one. */
const severalKept = new Set<string>(["amount", "debit", "credit", "balance"]);

/** Headings that name the bank's own account in some files, and that of the other party in others. */
const anyAccount = new Set(["iban", "kontonummer"]);

const unitPattern = /\s*[([]\s*([A-Z]{3}|[€£])\s*[)\]]|\s+in\s+([A-Z]{3}|€)$|\s+([Ee]uros?|EUROS?)$/;
const currencyBySign: Readonly<Record<string, string>> = {
  "€": "EUR",
  "£": "GBP",
  EURO: "EUR",
  EUROS: "EUR",
};

export const currencyOfUnit = (unit: string): string =>
  currencyBySign[unit.toUpperCase()] ?? unit.toUpperCase();

/** Returns the currency that a heading names, as in `Betrag (EUR)`. */
export function currencyOfHeading(heading: string): string | undefined {
  const unit = unitPattern.exec(heading)?.slice(1).find(Boolean);
  return unit && currencyOfUnit(unit);
}

/** Returns the words of a heading without marks, units and separators. */
export const normaliseHeading = (heading: string): string =>
  heading
    .replace(unitPattern, "")
    .normalize("NFD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replaceAll("ß", "ss")
    .replace(/([aou])e/g, "$1")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const fieldsByHeading = new Map<string, { field: HeadingField; rank: number }[]>();
for (const [field, headings] of Object.entries(headingsByField))
  for (const [rank, heading] of headings.split("|").entries()) {
    const key = normaliseHeading(heading);
    const known = fieldsByHeading.get(key) ?? [];
    if (known.every((each) => each.field !== field))
      fieldsByHeading.set(key, [...known, { field: field as HeadingField, rank }]);
  }

/** The index of each field's column; `remittance_information` may have several. */
export type Headings = Partial<Record<HeadingField, readonly number[]>>;

/** Matches the headings of a row. `sample` is a cell of each column in the first entry, which tells some columns apart. */
export function matchHeadings(cells: readonly string[], sample: readonly string[] = []): Headings {
  const found = new Map<HeadingField, { index: number; rank: number }[]>();
  const names = cells.map(normaliseHeading);
  for (const [index, name] of names.entries()) {
    const fields = fieldsByHeading.get(name) ?? [];
    const isCurrency = /^[A-Za-z]{3}$/.test(sample[index] ?? "");
    const match =
      fields.length > 1 ? fields.find(({ field }) => (field === "currency") === isCurrency) : fields[0];
    if (match) found.set(match.field, [...(found.get(match.field) ?? []), { index, rank: match.rank }]);
  }
  for (const [index, name] of names.entries())
    if (anyAccount.has(name)) {
      const isOwn =
        !found.has("account_number") &&
        (found.has("counterparty_account") || !found.has("counterparty_name"));
      const field = isOwn ? "account_number" : "counterparty_account";
      if (!found.has(field)) found.set(field, [{ index, rank: 0 }]);
    }
  const headings: Headings = {};
  for (const [field, columns] of found) {
    const [first, ...others] = columns.toSorted((one, other) => one.rank - other.rank);
    const same = others.filter(({ rank }) => severalKept.has(field) || rank === first!.rank);
    headings[field] = (field === "remittance_information" ? columns : [first!, ...same]).map(
      ({ index }) => index,
    );
  }
  return headings;
}

/** Drops the columns of amounts that a better one makes needless. */
export function dropNeedless(found: Headings): Headings {
  const needless = found.amount ? ["debit", "credit"] : ["mark"];
  return Object.fromEntries(Object.entries(found).filter(([field]) => !needless.includes(field)));
}

/** Returns which field each heading of a bank's CSV is taken for, with the delimiter for which most are known. */
export function matchBankHeadings(header: string): readonly MatchedHeading[] {
  const rows = delimiters.map((delimiter) => {
    const cells = parseBankRow(header, delimiter) ?? [];
    return { cells, found: matchHeadings(cells) };
  });
  const countOf = ({ found }: { found: Headings }) => Object.keys(found).length;
  const { cells, found } = rows.toSorted((one, other) => countOf(other) - countOf(one))[0]!;
  const columns = Object.entries(dropNeedless(found));
  return cells.map((heading, index) => {
    const [column] = columns.find(([, indexes]) => indexes.includes(index)) ?? [];
    return { heading, ...(column !== undefined && { column }) };
  });
}

const words = (list: string) => list.split("|");

/** Words of a mark column, in lower case. */
export const debitMarks = words("d|s|dr|dbit|debit|debet|soll|af|-|débit");
export const creditMarks = words("c|h|cr|k|crdt|credit|haben|bij|+|crédit");

/** Words of a status column, in lower case. */
export const bookedWords = words(
  "booked|posted|completed|settled|gebucht|umsatz gebucht|geboekt|verwerkt|comptabilisé",
);
export const pendingWords = words("pending|vorgemerkt|umsatz vorgemerkt|in behandeling|en attente");
