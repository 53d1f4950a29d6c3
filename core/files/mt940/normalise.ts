import type { Statement } from "../statement";
import { checkedInformationLines, toEntry, normaliseHead, normaliseLine, normaliseTail } from "./fields";
import type { Mt940Options } from "./options";

/**
 * Returns a statement as MT940 represents it: exactly what reading the written file gives.
 *
 * Texts are converted to the SWIFT character set and cut to their fields. Dropped are references that are too long, the
 * account holder, the BIC of an IBAN, a currency at the end of an account number, details of entries, and booking dates more
 * than half a year from the value date. Without sub-tags, counterparty and references in :86: become one remittance text.
 */
export const normaliseMt940 = (statement: Statement, options: Mt940Options = {}): Statement => ({
  ...normaliseHead(statement),
  ...normaliseTail(statement, statement.account.currency),
  entries: statement.entries.map((entry) =>
    toEntry(normaliseLine(entry, statement.account.currency), checkedInformationLines(entry, options)),
  ),
});
