/** CODA: what exactly is written, and what banks write. */
import * as fc from "fast-check";
import { readCoda, type Statement, collectText, writeCoda } from "../../../core/files";
import { collect, anyStatement, entry, statement } from "./statement-fixtures";

const write = (...statements: Statement[]) => collectText(writeCoda(statements));
const linesOf = (text: string) => text.split("\r\n").slice(0, -1);

const account = {
  number: "BE70000012345678",
  currency: "EUR",
  bic: "TESTBEBB",
  holder: "Société Exemple",
};

/** Positions of the standard, from 1. */
const charactersAt = (line: string, from: number, to = from) => line.slice(from - 1, to);

describe("writing", () => {
  test("each field of each record at its place", async () => {
    const lines = linesOf(
      await write(
        statement(
          [
            entry({
              creditDebit: "Debit",
              amount: "12.5",
              valueDate: "2026-01-14",
              bankReference: "BANKREF",
              endToEndId: "E2E",
              remittance: `${"a".repeat(53)}${"b".repeat(53)}${"c".repeat(43)}${"d".repeat(73)}${"e".repeat(105)}f`,
              counterparty: { name: "N".repeat(40), account: "NL13TEST0123456789", bic: "TESTNL2A" },
              purpose: "SALA",
              returnReason: "AC04",
            }),
          ],
          { account, number: 7, reference: "REF", information: `${"x".repeat(80)}y` },
        ),
      ),
    );
    expect(lines).toEqual([
      `0000031012600005${" ".repeat(18)}${"Societe Exemple".padEnd(26)}TESTBEBB   00000000000 00000${"REF".padEnd(16)}${" ".repeat(23)}2`,
      `12007BE70000012345678${" ".repeat(18)}EUR0000000000100000010126${"Societe Exemple".padEnd(26)}${" ".repeat(35)}007`,
      `2100010000${"BANKREF".padEnd(21)}1000000000012500140126001010000${"a".repeat(53)}15012600701 0`,
      `2200010000${"b".repeat(53)}${"E2E".padEnd(35)}TESTNL2A      2AC04    SALA1 0`,
      `2300010000${"NL13TEST0123456789".padEnd(37)}${"N".repeat(35)}${"c".repeat(43)}0 1`,
      `3100010001${"BANKREF".padEnd(21)}001010001001${"N".repeat(40).padEnd(70)}${" ".repeat(12)}0 1`,
      `3100010002${"BANKREF".padEnd(21)}001010000${"d".repeat(73)}${" ".repeat(12)}1 0`,
      `3200010002${"e".repeat(105)}${" ".repeat(10)}1 0`,
      `3300010002${"f".padEnd(90)}${" ".repeat(25)}0 0`,
      `8007BE70000012345678${" ".repeat(18)}EUR0000000000087500310126${" ".repeat(64)}1`,
      `4 00010000${" ".repeat(22)}${"x".repeat(80)}${" ".repeat(15)}1`,
      `4 00010001${" ".repeat(22)}${"y".padEnd(80)}${" ".repeat(15)}0`,
      `9${" ".repeat(15)}000009000000000012500000000000000000${" ".repeat(75)}2`,
    ]);
  });

  test("a reference that is too long is left out: a part of it would be a wrong one", async () => {
    const text = await write(
      statement([entry({ bankReference: "b".repeat(22), endToEndId: "e".repeat(36) })], {
        account,
        reference: "r".repeat(17),
      }),
    );
    expect(text).not.toMatch(/bbb|eee|rrr/);
  });

  test("a day without movement has no new balance", async () => {
    const lines = linesOf(await write(statement([], { account })));
    expect(lines.map((line) => line[0])).toEqual(["0", "1", "9"]);
    expect(charactersAt(lines[2]!, 17, 22)).toBe("000001");
  });

  test("after 9999 movements counting goes on from 0000", async () => {
    const text = await write(
      statement(
        Array.from({ length: 10_001 }, () => entry()),
        { account },
      ),
    );
    const movements = linesOf(text).filter((line) => line.startsWith("21"));
    expect(movements.slice(-3).map((line) => charactersAt(line, 3, 6))).toEqual(["9999", "0000", "0001"]);
    const [found] = await collect(readCoda(text));
    expect(found!.entries).toHaveLength(10_001);
  });

  test("whatever is written has 128 ASCII characters in a line, and counts and sums that are right", async () => {
    await fc.assert(
      fc.asyncProperty(anyStatement, async (any) => {
        const lines = linesOf(await write(any));
        for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]{128}$/);
        const main = lines.filter((line) => line.startsWith("21") && charactersAt(line, 7, 10) === "0000");
        const sum = (sign: string) =>
          main
            .filter((line) => charactersAt(line, 32) === sign)
            .reduce((total, line) => total + BigInt(charactersAt(line, 33, 47)), 0n);
        const trailer = lines.at(-1)!;
        expect(Number(charactersAt(trailer, 17, 22))).toBe(
          lines.filter((line) => /^[1238]/.test(line)).length,
        );
        expect(BigInt(charactersAt(trailer, 23, 37))).toBe(sum("1"));
        expect(BigInt(charactersAt(trailer, 38, 52))).toBe(sum("0"));
      }),
      { numRuns: 60 },
    );
  });
});

/** A sound file: header, old balance, two movements with further records, new balance, trailer. */
const validText = () =>
  write(
    statement(
      [
        entry({ remittance: "x".repeat(200), creditDebit: "Debit" }),
        entry({ creditorReference: "090933755493", amount: "5" }),
      ],
      { account },
    ),
  );

const replaceAt = (line: string, from: number, text: string) =>
  line.slice(0, from - 1) + text + line.slice(from - 1 + text.length);

/** The sound file with some of its lines changed. */
async function changeValidText(change: (lines: string[]) => void): Promise<string> {
  const lines = linesOf(await validText());
  change(lines);
  return lines.join("\n");
}

describe("reading", () => {
  test("a structured reference that the bank restored, an unknown structure, a currency behind the counterparty's account", async () => {
    const text = await changeValidText((lines) => {
      const movement = lines.findLastIndex((line) => line.startsWith("21"));
      lines[movement] = replaceAt(lines[movement]!, 63, "102");
      const first = lines.findIndex((line) => line.startsWith("21"));
      lines[first] = replaceAt(lines[first]!, 62, "1105SEPA");
      lines[first + 2] = replaceAt(lines[first + 2]!, 11, "000001234567 EUR");
    });
    const [found] = await collect(readCoda(text));
    expect(found!.entries[1]!.creditorReference).toBe("090933755493");
    expect(found!.entries[0]!.remittance).toMatch(/^SEPAx+ x+$/);
    expect(found!.entries[0]!.counterparty).toEqual({ account: "000001234567" });
  });

  test("a SEPA direct debit: creditor, mandate and communication", async () => {
    const communication = [
      "127",
      "150126",
      "111",
      "BE99ZZZ0123456789".padEnd(35),
      "MANDATE 1".padEnd(35),
      "Subscription of January".padEnd(62),
      " ".repeat(5),
    ].join("");
    const text = await changeValidText((lines) => {
      lines.splice(5, 1);
      lines[2] = replaceAt(replaceAt(lines[2]!, 62, "1"), 63, communication.slice(0, 53));
      lines[3] = replaceAt(lines[3]!, 11, communication.slice(53, 106));
      lines[4] = replaceAt(lines[4]!, 83, communication.slice(106));
      lines[7] = replaceAt(lines[7]!, 17, "000006");
    });
    const [found] = await collect(readCoda(text));
    const { mandateId, creditorId, remittance } = found!.entries[0]!;
    expect({ mandateId, creditorId, remittance }).toEqual({
      creditorId: "BE99ZZZ0123456789",
      mandateId: "MANDATE 1",
      remittance: "Subscription of January",
    });
  });

  test("dates that the bank does not know", async () => {
    const text = await changeValidText((lines) => {
      lines[2] = replaceAt(lines[2]!, 48, "000000");
      const second = lines.findLastIndex((line) => line.startsWith("21"));
      lines[second] = replaceAt(lines[second]!, 116, "000000");
    });
    const [found] = await collect(readCoda(text));
    expect(found!.entries.map(({ bookingDate, valueDate }) => [bookingDate, valueDate])).toEqual([
      ["2026-01-15", "2026-01-15"],
      ["2026-01-15", "2026-01-15"],
    ]);
  });

  test("a wrong reference is text, before text that goes on over several records", async () => {
    const remittance = "x".repeat(73);
    const text = await write(statement([entry({ creditorReference: "090933755493", remittance })]));
    const wrong = text.replace("090933755493", "090933755400").replace(/^31.*\r\n/m, "$&$&");
    const [found] = await collect(readCoda(wrong, { tolerate: true }));
    expect(found!.entries[0]!.remittance).toBe(`090933755400 ${remittance}${remittance}`);
  });

  test("text of a record that cannot be read does not go on in the record before", async () => {
    const text = await write(
      statement([entry({ counterparty: { name: "N".repeat(40) }, remittance: "y".repeat(300) })]),
    );
    const lines = text.split("\r\n");
    const broken = lines.findIndex((line) => line.startsWith("3100010002"));
    lines[broken] = lines[broken]!.slice(0, 100);
    const [found] = await collect(readCoda(lines.join("\r\n"), { tolerate: true }));
    expect(found!.entries[0]!.counterparty!.name).toBe("N".repeat(40));
    expect(found!.violations!.map(({ rule, field }) => `${rule} ${field}`)).toEqual(
      expect.arrayContaining(["misplaced 3.2"]),
    );
  });

  test("check digits that are wrong: which are right", async () => {
    const text = await changeValidText((lines) => (lines[6] = replaceAt(lines[6]!, 66, "090933755400")));
    const [found] = await collect(readCoda(text));
    expect(found!.violations![0]!.message).toContain("090933755400 has wrong check digits; expected 93");
    expect(found!.entries[1]).toMatchObject({ remittance: "090933755400" });
  });

  test("blanks where a header has zeros", async () => {
    const text = await changeValidText((lines) => (lines[0] = replaceAt(lines[0]!, 2, "    ")));
    expect(await collect(readCoda(text))).toEqual(await collect(readCoda(await validText())));
  });

  test("blank lines and the end-of-file sign of old systems are passed over", async () => {
    expect(await collect(readCoda(`\n${await validText()}\n\u001A`))).toHaveLength(1);
  });
});
