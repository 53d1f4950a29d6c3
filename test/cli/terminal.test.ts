/** Tests output that differs on a terminal. */
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { callCommands } from "../../cli/call/command";
import { runCommand } from "../../cli/command-line/command";
import { runCommandLine } from "../../cli/main";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { numbersService } from "../support/numbers-procedure";
import { table } from "../../cli/terminal/table";
import type { Terminal } from "../../cli/terminal/terminal";

function terminalOfWidth(columns: number) {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  const stderr = new PassThrough();
  return { stdin: Readable.from([]), stdout, stderr, environment: {} } satisfies Terminal;
}

test("does not print a file to a terminal without --output -", async () => {
  const id = "0b0e7c3e-2f4b-4a8e-9d3c-5a6b7c8d9e0f";
  const [command, args] = callCommands(fxdeskService)([
    "statements.getFile",
    "--account-id",
    id,
    "--statement-id",
    id,
  ]);
  await expect(runCommand(command, args, terminalOfWidth(80))).rejects.toThrow(
    /--output <path>, .* --output -/,
  );
});

describe("progress of a call", () => {
  const said = async (screen: object, environment: Record<string, string> = {}) => {
    const stderr = Object.assign(new PassThrough(), screen);
    const stdout = new PassThrough();
    const variables = { FXDESK_BASE_URL: "http://127.0.0.1:9", FXDESK_CLIENT_ID: "C", ...environment };
    const args = ["call", "numbers.list", "--many", "1"];
    const streams = { stdin: Readable.from([]), stdout, stderr, environment: variables };
    expect(await runCommandLine(args, streams, numbersService)).toBe(0);
    stderr.end();
    return text(stderr);
  };
  const erased = "\r\u001b[2K";

  test("is redrawn in one line and erased at the end", async () => {
    expect(await said({ isTTY: true, columns: 80 })).toBe(
      `${erased}Counting (0/2)${erased}Counting (1/2)${erased}`,
    );
    expect(await said({ isTTY: true, columns: 9 })).toBe(`${erased}Counting${erased}Counting${erased}`);
  });

  test("is not shown in pipes and CI", async () => {
    expect(await said({})).toBe("");
    expect(await said({ isTTY: true }, { CI: "true" })).toBe("");
  });
});

describe("a table", () => {
  test("aligns words to the left and numbers to the right", () => {
    const rows = [
      { name: "rent", amount: 1250.5 },
      { name: "salaries", amount: 99 },
    ];
    expect(table(rows)).toBe("name      amount\nrent      1250.5\nsalaries    99\n");
  });

  test("that has to fit has groups of digits and no empty columns, and names the columns that it hides", () => {
    const rows = [
      { id: "a", none: null, amount: 1_234_567.8, more: "x".repeat(20), last: "b" },
      { id: "b", none: null, amount: -1_000, more: "", last: "c" },
    ];
    let hidden: readonly string[] = [];
    const shown = table(rows, { width: 30, onHidden: (names) => (hidden = names) });
    expect(shown).toBe("id       amount\na   1 234 567.8\nb      -1 000\n");
    expect(hidden).toEqual(["more", "last"]);
  });

  test("shows exactly the chosen columns", () => {
    expect(table([{ a: 1, b: { c: 2 } }], { columns: ["b.c", "a"] })).toBe("b.c  a\n  2  1\n");
  });

  test("shows the only list inside an object, or the fields of the object", () => {
    expect(table({ accounts: [{ iban: "x" }], _links: {} })).toBe("iban\nx\n");
    expect(table({ status: "Pending", tags: [1, 2], more: [] })).toBe(
      "field   value\nstatus  Pending\ntags    1, 2\nmore\n",
    );
  });

  test("shows control and bidi characters as codes, on one line", () => {
    expect(table([{ name: "a\u001b[2J\r\nb\u202Ec" }])).toBe("name\na<U+001B>[2J b<U+202E>c\n");
  });
});
