/** Tests fxdesk journal recover. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { makeQuote, sandboxClient } from "../support/samples";
import { runFxdesk, variablesOf } from "./run-command";

let folder: string;
let sandbox: Sandbox;
let count = 0;
let variables: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fxdesk-recover-"));
  sandbox = await startSandbox();
});
afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  sandbox.control.clearFaults();
  variables = { ...variablesOf(sandbox), FXDESK_STORE: join(folder, `${(count += 1)}.db`) };
});

const recover = (...words: string[]) => runFxdesk(["journal", "recover", ...words], { variables });

/** Books and drops the response; the entry is unknown if recovery could not run. */
async function bookWithLostResponse(
  kind: "reset-before" | "reset-after",
  reference: string,
): Promise<string> {
  const client = sandboxClient(sandbox, { environment: "sandbox", store: variables.FXDESK_STORE! });
  const quote_id = await makeQuote(client);
  sandbox.control.addFault({ operation: "trades.book", kind });
  // Ends the background recovery, which would otherwise find the booking first.
  sandbox.control.addFault({ operation: "trades.list", kind: "status", status: 403, times: 1 });
  const booking = client.trades.book({ quote_id, reason: "other", reference });
  const { journal } = await booking.then(
    () => Promise.reject(new Error("It was not lost.")),
    (error: { journal: { entry: string } }) => error,
  );
  await client.close();
  return journal.entry;
}

test("finds a booked trade and reports others as unknown", async () => {
  const [booked, not] = [
    await bookWithLostResponse("reset-after", "INV-1"),
    await bookWithLostResponse("reset-before", "INV-2"),
  ];
  const { code, stdout } = await recover();
  expect(code).toBe(7);
  const lines = stdout.trimEnd().split("\n");
  expect(lines).toHaveLength(2);
  expect(lines.find((line) => line.startsWith(booked))).toMatch(
    / {2}trades.book {2}done {2}TR\d+ {2}Searched/,
  );
  expect(lines.find((line) => line.startsWith(not))).toMatch(
    / {2}trades.book {2}unknown {2}Searched .*no match/,
  );
  expect(JSON.parse((await recover("--json")).stdout)).toMatchObject([{ entry: not, state: "unknown" }]);
}, 30_000);

test("recovers one entry, and none if nothing is unknown", async () => {
  const booked = await bookWithLostResponse("reset-after", "INV-3");
  const { code, stdout } = await recover(booked, "--json");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, [{ entry: booked, state: "done" }]]);
  expect(await recover()).toMatchObject({ code: 0, stdout: "No call has an unknown outcome.\n" });
  const again = await recover(booked);
  expect(again).toMatchObject({ code: 2, stdout: "" });
  expect(again.stderr).toContain(`Journal entry ${booked} is done`);
  expect(await recover("no-such")).toMatchObject({ code: 2 });
});

test("has a help page", async () => {
  const { code, stdout } = await recover("--help");
  expect(code).toBe(0);
  expect(stdout).toContain("Usage: fxdesk journal recover [id] [flags]");
  expect((await runFxdesk(["journal", "--help"])).stdout).toContain("recover [id]");
});
