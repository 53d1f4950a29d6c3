/** Tests fxdesk watch against the sandbox. */
import { PassThrough } from "node:stream";
import type { Sandbox } from "@fxdesk/sandbox";
import { runCommandLine as command } from "../../cli/main";
import { changeLine } from "../../cli/watch/run";
import { eventually } from "../support/eventually";
import { openSandbox } from "../support/sandboxes";
import { runFxdesk, variablesOf } from "./run-command";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openSandbox({ daysBehind: 30 });
});

const run = (...args: string[]) => runFxdesk(["watch", ...args], { variables: variablesOf(sandbox) });

const payIn = (reference: string) =>
  sandbox.control.payIn({ currency: "EUR", amount: "12.34", reference }).transaction_id;

const lines = (text: string) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, any>);

/** A running watch command, on a terminal or in a pipe. */
function startWatch(args: readonly string[], isTerminal = false) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const said = { out: "", err: "" };
  stdout.on("data", (chunk: Buffer) => (said.out += String(chunk)));
  stderr.on("data", (chunk: Buffer) => (said.err += String(chunk)));
  if (isTerminal) for (const screen of [stdout, stderr]) Object.assign(screen, { isTTY: true, columns: 80 });
  const ended = command(["watch", ...args], { stdin, stdout, stderr, environment: variablesOf(sandbox) });
  const says = (stream: "out" | "err", text: string) =>
    eventually(() => said[stream].includes(text), {
      withinMs: 20_000,
      what: () => `"${text}" in ${JSON.stringify(said)}`,
    });
  return { said, ended, says };
}

/** Simulates Ctrl-C. */
const interrupt = () => void process.emit("SIGINT");

test("--once prints new changes since the last run and exits", async () => {
  const ask = () => run("transactions", "--once", "--name", "once");
  expect(await ask()).toEqual({ code: 0, stdout: "", stderr: "" });
  const id = payIn("ONCE-1");
  const { stdout } = await ask();
  expect(lines(stdout)).toMatchObject([
    { watch: "transactions.watch", kind: "new", id, repeated: false, entry: { transaction_id: id } },
  ]);
  expect((await ask()).stdout).toBe("");
});

test("says that --since has no effect on a watch that has run", async () => {
  const ask = () => run("transactions", "--once", "--name", "since", "--since", "beginning");
  expect(await ask()).toMatchObject({ code: 0, stderr: "" });
  const { code, stderr } = await ask();
  expect([code, stderr]).toEqual([0, expect.stringMatching(/--since beginning .*--name\.\n$/)]);
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
      {
        kind: "new",
        entry: { thing_id: "T-1", cost: { amount: "1.00", currency: "EUR" }, parts: [1, 2], none: null },
      },
      "new      cost 1.00 EUR, parts 2 items, thing_id T-1",
    ],
    [
      { kind: "changed", entry: { status: "Closed", note: "x" }, before: { status: "Funded", other: 1 } },
      "changed  T-1, status Funded -> Closed, note x",
    ],
    [
      { kind: "gone", entry: undefined, before: { amount: "1" }, repeated: true },
      "gone     T-1, amount 1, delivered before",
    ],
    [{ kind: "new", entry: { note: "a\u001b[31mb\nc" } }, "new      T-1, note a<U+001B>[31mb c"],
  ] as const)("%j", (told, line) => {
    expect(changeLine({ ...change, ...told })).toBe(`2026-11-22 09:00:00  ${line}\n`);
  });
});
