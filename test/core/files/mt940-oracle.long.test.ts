/** A parser that fxdesk did not write reads what fxdesk writes. */
import * as fc from "fast-check";
import { Parser } from "mt940js";
import { normaliseMt940, type Statement, collectText, writeMt940 } from "../../../core/files";
import { anyStatement } from "./statement-fixtures";

/** It rounds to two decimals, and takes all years for 20YY and a slash for the end of the customer reference. */
const isReadable = ({ account, entries }: Statement) =>
  account.currency !== "BHD" &&
  entries.every(
    ({ valueDate, customerReference = "" }) => valueDate >= "2000" && !customerReference.includes("/"),
  );

test("mt940js reads every message, finds it balanced, and every entry in it", async () => {
  await fc.assert(
    fc.asyncProperty(anyStatement, fc.boolean(), async (statement, subTags) => {
      const normal = normaliseMt940(statement, { subTags });
      fc.pre(isReadable(normal));
      const messages = new Parser().parse(await collectText(writeMt940([statement], { subTags })));
      expect(new Set(messages.map(({ number }) => Number(number.statement)))).toEqual(
        new Set([normal.number]),
      );
      expect(messages.map(({ number }) => Number(number.sequence))).toEqual(
        messages.map((_, index) => index + 1),
      );
      expect(new Set(messages.map(({ currency }) => currency))).toEqual(new Set([normal.account.currency]));
      const found = messages.flatMap(({ transactions }) => transactions);
      expect(
        found.map(({ date, amount, isReversal, transactionType, bankReference, extraDetails }) => ({
          valueDate: date.toISOString().slice(0, 10),
          amount: Math.abs(amount),
          creditDebit: amount < 0 || Object.is(amount, -0) ? "Debit" : "Credit",
          reversal: isReversal,
          transactionCode: transactionType,
          bankReference,
          additionalInformation: extraDetails,
        })),
      ).toEqual(
        normal.entries.map((entry) => ({
          valueDate: entry.valueDate,
          amount: Number(entry.amount),
          creditDebit: entry.creditDebit,
          reversal: entry.reversal ?? false,
          transactionCode: entry.transactionCode,
          bankReference: entry.bankReference ?? "",
          additionalInformation: entry.additionalInformation ?? "",
        })),
      );
    }),
    { numRuns: 100 },
  );
});
