import type { Statement } from "../statement";
import { checkedInformationLines, toEntry, normaliseHead, normaliseLine, normaliseTail } from "./fields";
import type { Mt940Options } from "./options";

/**
 * A statement as MT940 carries it: reading what was written gives exactly this.
 *
 * Texts are in the SWIFT character set and cut to their fields; references longer than theirs, the account's holder, the BIC of an IBAN, a currency at
 * the end of an account's number, and the details of entries are left out, and so is a booking date more than half a year
 * from the value date. Without sub-tags, what :86: says of the counterparty and the references becomes one remittance
 * text.
 */
export const normaliseMt940 = (statement: Statement, options: Mt940Options = {}): Statement => ({
  ...normaliseHead(statement),
  ...normaliseTail(statement, statement.account.currency),
  entries: statement.entries.map((entry) =>
    toEntry(normaliseLine(entry, statement.account.currency), checkedInformationLines(entry, options)),
  ),
});
