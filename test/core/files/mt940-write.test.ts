/** MT940: what exactly is written. */
import * as fc from "fast-check";
import { readMt940, collectText, writeMt940 } from "../../../core/files";
import { collect, anyStatement, entry, statement } from "./statement-fixtures";

const write = (...args: Parameters<typeof writeMt940>) => collectText(writeMt940(...args));
const splitLines = (text: string) => text.split("\r\n").slice(0, -1);

const invoice = entry({
  creditDebit: "Debit",
  amount: "12.5",
  bookingDate: "2026-01-02",
  valueDate: "2025-12-31",
  customerReference: "INV-1",
  bankReference: "B//2",
  endToEndId: "FI/21",
  counterparty: { name: "Müller & Söhne", account: "BE70 0000 1234 5678", bic: "TESTBEBB" },
  creditorReference: "090933755493",
  remittance: "Invoice 4711",
  instructedAmount: { amount: "13.60", currency: "USD" },
  additionalInformation: "Outgoing transfer",
});

test("sub-tags say the parts of an entry in words between slashes", async () => {
  expect(splitLines(await write([statement([invoice], { reference: "/S//1/" })], { subTags: true }))).toEqual(
    [
      ":20:S/1",
      ":25:NL13TEST0123456789",
      ":28C:00001/00001",
      ":60F:C260101EUR100,00",
      ":61:2512310102D12,50NTRFINV-1//B/2",
      "Outgoing transfer",
      ":86:/EREF/FI/21/BENM//NAME/Muller + Sohne/CNTP/BE70000012345678/TESTB",
      "EBB///OCMT/USD13,60/REMI/STRD/CUR/090933755493/REMI/USTD//Invoice",
      " 4711",
      ":62F:C260131EUR87,50",
      "-",
    ],
  );
});

test("a reference that is too long is left out: a part of it would be a wrong one", async () => {
  const long = {
    ...invoice,
    endToEndId: "x".repeat(36),
    customerReference: "c".repeat(17),
    bankReference: "b".repeat(17),
  };
  const text = await write([statement([long], { reference: "r".repeat(17) })], { subTags: true });
  expect(text).toContain(":20:NONREF\r\n");
  expect(text).toContain("NTRFNONREF\r\n");
  const [read] = await collect(readMt940(text));
  expect(read!.entries[0]).not.toHaveProperty("endToEndId");
  expect(read!.entries[0]!.remittance).toBe(invoice.remittance);
});

test("a name that is cut at a word of its own is read as it was written", async () => {
  const counterparty = { name: `${"x".repeat(65)}/EREFERENCE` };
  const [read] = await collect(
    readMt940(await write([statement([{ ...invoice, counterparty }])], { subTags: true })),
  );
  expect(read!.entries[0]!.counterparty).toEqual({ name: `${"x".repeat(65)} EREF` });
  expect(read!.entries[0]!.remittance).toBe(invoice.remittance);
});

test("without sub-tags :86: is text for people", async () => {
  expect(splitLines(await write([statement([invoice])])).slice(6, 8)).toEqual([
    ":86:FI/21 Muller + Sohne BE70 0000 1234 5678 090933755493 Invoice",
    "4711",
  ]);
});

test("a reference that reads as a pointer is not written as one", async () => {
  const text = await write([statement([entry({ customerReference: "EREF", bankReference: "KREF+" })])]);
  expect(splitLines(text)[4]).toBe(":61:2601150115C10,00NTRFNONREF");
});

test("a long statement goes on in further messages, each of which balances for itself", async () => {
  const long = statement(Array.from({ length: 40 }, () => entry({ remittance: "word ".repeat(60) })));
  const text = await write([long], { subTags: true });
  const messages = text.split("-\r\n").slice(0, -1);
  expect(messages.length).toBeGreaterThan(5);
  for (const each of messages) expect(each.length).toBeLessThanOrEqual(2000 - 3);
  expect(messages.map((each) => /:28C:(.*)\r/.exec(each)![1])).toEqual(
    messages.map((_, index) => `00001/${String(index + 1).padStart(5, "0")}`),
  );
  expect(messages[0]).toContain(":60F:C260101EUR100,00");
  expect(messages[0]!.split(":62M:")[1]).toBe(messages[1]!.split(":60M:")[1]!.split("\r\n")[0] + "\r\n");
  expect(messages.at(-1)).toContain(":62F:C260131EUR500,00");
  const [found, ...others] = await collect(readMt940(text));
  expect(found!.entries).toHaveLength(40);
  expect(others).toEqual([]);
});

test("an intermediate balance is of the last entry's day", async () => {
  const days = ["2026-01-05", "2026-01-06"].map((bookingDate) =>
    Array.from({ length: 12 }, () => entry({ bookingDate, remittance: "word ".repeat(60) })),
  );
  const text = await write([statement(days.flat())]);
  const dates = [...text.matchAll(/:6[02]M:C(\d{6})/g)].map(([, date]) => date);
  expect(new Set(dates)).toEqual(new Set(["260105", "260106"]));
});

test("whatever is written is of the SWIFT character set, in short lines, none of which begins like a tag or an end", async () => {
  await fc.assert(
    fc.asyncProperty(anyStatement, fc.boolean(), async (any, subTags) => {
      for (const line of splitLines(await write([any], { subTags }))) {
        expect(line).toMatch(/^[A-Za-z0-9/\-?:().,'+ ]*$/);
        if (line === "-") continue;
        expect(line).toMatch(/^(:(20|25|28C|60[FM]|61|62[FM]|64|65|86):|[^:-])/);
        const [, tag, content = ""] = /^(:\d\d[A-Z]?:)?(.*)$/.exec(line)!;
        const most: Record<string, number> = { ":20:": 16, ":25:": 35, ":28C:": 11, ":61:": 69 };
        expect(content.length).toBeLessThanOrEqual(most[tag ?? ""] ?? 65);
      }
    }),
    { numRuns: 60 },
  );
});
