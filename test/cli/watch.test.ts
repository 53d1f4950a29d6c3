/** Tests fxdesk watch against the sandbox. */
import { PassThrough } from "node:stream";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { runCommandLine as command } from "../../cli/main";
import { watchCommandName } from "../../cli/command-line/arguments";
import { changeLine } from "../../cli/watch/run";
import { watches } from "../../core/watches/all";
import { eventually } from "../support/eventually";
import { runFxdesk, variablesOf } from "./run-command";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ daysBehind: 30 });
});
afterAll(() => sandbox.close());

const run = (...args: string[]) => runFxdesk(["watch", ...args], { variables: variablesOf(sandbox) });

const payIn = (reference: string, currency = "EUR") =>
  sandbox.control.payIn({ currency, amount: "12.34", reference }).transaction_id;

const lines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, any>);

/** A running watch command, on a terminal or in a pipe. */
function startWatch(args: readonly string[], isTerminal = false, variables = variablesOf(sandbox)) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const said = { out: "", err: "" };
  stdout.on("data", (chunk: Buffer) => (said.out += String(chunk)));
  stderr.on("data", (chunk: Buffer) => (said.err += String(chunk)));
  if (isTerminal) for (const screen of [stdout, stderr]) Object.assign(screen, { isTTY: true, columns: 80 });
  const ended = command(["watch", ...args], { stdin, stdout, stderr, environment: variables });
  const says = (stream: "out" | "err", text: string) =>
    eventually(() => said[stream].includes(text), {
      withinMs: 20_000,
      what: () => `"${text}" in ${JSON.stringify(said)}`,
    });
  return { said, ended, says };
}

/** Simulates Ctrl-C. */
const interrupt = () => void process.emit("SIGINT");

describe("fxdesk watch", () => {
  test("lists the watches as text and as JSON", async () => {
    const { code, stdout } = await runFxdesk(["watch"]);
    expect(code).toBe(0);
    for (const watch of watches) expect(stdout).toContain(`  ${watchCommandName(watch)} `);
    const { stdout: data } = await runFxdesk(["watch", "--json"]);
    expect(JSON.parse(data)).toHaveLength(watches.length);
    expect(new Set(watches.map(watchCommandName)).size).toBe(watches.length);
  });

  test.each(watches.map((watch) => [watchCommandName(watch), watch] as const))(
    "%s --help derives from its declaration",
    async (word, { tool, rules = [] }) => {
      const { code, stdout } = await runFxdesk(["watch", word, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toContain(`Usage: fxdesk watch ${word}`);
      for (const { description } of rules) expect(stdout).toContain(description);
      for (const line of stdout.split("\n")) expect([tool, line.length > 100]).toEqual([tool, false]);
    },
  );

  test.each([
    [["transaction"], "Did you mean transactions"],
    [["trades", "--since", "2026-01-01"], "--since must be now or beginning"],
    [["trades", "--every", "soon"], "--every must be a number of seconds"],
    [["balances"], "At least one of below and above must be given"],
  ])("refuses %j and names the flag", async (args, words) => {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(words)]);
  });

  test("fxdesk call with a watch names fxdesk watch", async () => {
    const { stderr } = await runFxdesk(["call", "trades.watchPayments"]);
    expect(stderr).toContain("fxdesk watch trade-payments");
  });
});

describe("--once", () => {
  const ask = (...args: string[]) => run("transactions", "--once", "--name", "once", ...args);

  test("prints new changes since the last run and exits", async () => {
    expect(await ask()).toEqual({ code: 0, stdout: "", stderr: "" });
    const id = payIn("ONCE-1");
    const { stdout } = await ask();
    expect(lines(stdout)).toMatchObject([
      { watch: "transactions.watch", kind: "new", id, repeated: false, entry: { transaction_id: id } },
    ]);
    expect((await ask()).stdout).toBe("");
  });
});

describe("a running watch", () => {
  const args = ["transactions", "--name", "going", "--every", "0.02"];

  test("prints JSON lines in a pipe and continues after the last printed change", async () => {
    const first = startWatch([...args, "--once"]);
    expect(await first.ended).toBe(0);
    const watching = startWatch(args);
    payIn("GOING-1");
    await watching.says("out", "GOING-1");
    interrupt();
    expect([await watching.ended, watching.said.err]).toEqual([0, ""]);
    payIn("GOING-2");
    const again = startWatch(args);
    await again.says("out", "GOING-2");
    interrupt();
    expect(await again.ended).toBe(0);
    expect(again.said.out).not.toContain("GOING-1");
    expect(lines(again.said.out)).toMatchObject([{ repeated: false }]);
  });

  test("prints readable lines and a status line on a terminal", async () => {
    const watching = startWatch(args, true);
    await watching.says("err", "Watch transactions: ");
    payIn("GOING-3");
    await watching.says("out", "  new ");
    interrupt();
    expect(await watching.ended).toBe(0);
    const [line] = watching.said.out.split("\n");
    expect(line).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}new {6}amount 12\.34 EUR, /);
    expect(line!.length).toBe(80);
    expect(watching.said.err.endsWith("\r\u001b[2K")).toBe(true);
  });
});

describe("a change as a line", () => {
  const change = {
    watch: "things.watch",
    id: "T-1",
    at: "2026-11-22T09:00:00.000Z",
    cursor: "c.1",
    repeated: false,
    before: undefined,
  };
  test.each([
    [
      { kind: "new", entry: { id: "T-1", amount: { value: "1.00" }, parts: [1, 2], none: null } },
      "new      id T-1, parts 2 items, amount.value 1.00",
    ],
    [
      { kind: "changed", entry: { status: "Closed", note: "x" }, before: { status: "Funded", other: 1 } },
      "changed  T-1, status Funded -> Closed, note x",
    ],
    [
      { kind: "new", entry: { thing_id: "T-1", cost: { amount: "1.00", currency: "EUR" } } },
      "new      cost 1.00 EUR, thing_id T-1",
    ],
    [
      { kind: "gone", entry: undefined, before: { amount: "1" }, repeated: true },
      "gone     T-1, amount 1, delivered before",
    ],
    [{ kind: "new", entry: { note: "a\u001b[31mb\nc" } }, "new      T-1, note a [31mb c"],
  ] as const)("%j", (told, line) => {
    expect(changeLine({ ...change, ...told })).toBe(`2026-11-22 09:00:00  ${line}\n`);
  });
});
