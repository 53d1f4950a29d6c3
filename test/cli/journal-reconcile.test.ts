/** Tests fxdesk journal reconcile: the journal is compared with the trades of the sandbox, in both directions. */
import { join } from "node:path";
import { createClient, type FxdeskClient, optionsFromSettings, serviceFrom } from "@fxdesk/toolkit";
import { demo, type Sandbox, type SavedSandbox } from "@fxdesk/sandbox";
import { demoSettings } from "../../cli/sandbox/sandbox-package";
import type { JournalDifference } from "../../core/journal/list-comparison";
import type { JournalReconciliation } from "../../core/journal/reconciliation";
import { openJournal } from "../../core/journal/journal";
import { intent, longMs } from "../core/journal/fixtures";
import { closeLater, tempFolder } from "../support/resources";
import { makeQuote } from "../support/samples";
import { openSandbox } from "../support/sandboxes";
import { runFxdesk, usageErrorOf, type Variables, variablesOf } from "./run-command";

let sandbox: Sandbox;
let start: SavedSandbox;
let store: string;
let variables: Variables;
/** Differences before the test: trades that the sandbox has from the beginning. */
let earlier: number;
beforeAll(async () => {
  sandbox = await openSandbox({ reusableQuotes: true });
  start = sandbox.save();
});
beforeEach(async () => {
  sandbox.control.load(start as never);
  store = join(await tempFolder(), "store.db");
  variables = { ...variablesOf(sandbox), FXDESK_STORE: store };
  earlier = (await reconcile()).found.differences.length;
});

async function reconcile(...words: string[]) {
  const { code, stdout, stderr } = await runFxdesk(["journal", "reconcile", "--json", ...words], {
    variables,
  });
  expect(stderr).toBe("");
  return { code, found: JSON.parse(stdout) as JournalReconciliation };
}

/** Returns the differences that the test made. */
async function differences(...words: string[]): Promise<readonly JournalDifference[]> {
  const { code, found } = await reconcile(...words);
  expect(found.unread).toEqual([]);
  expect(code).toBe(found.differences.length > 0 ? 1 : 0);
  const made = found.differences.filter(({ entry, reference }) => entry ?? reference?.startsWith("TEST"));
  expect(found.differences).toHaveLength(earlier + made.length);
  return made;
}

function openClient(location = store): FxdeskClient {
  const { path, effects } = sandbox.extension;
  const service = serviceFrom({ FXDESK_EXTENSIONS: path, FXDESK_EXTENSION_EFFECTS: effects.join(",") });
  const options = { ...optionsFromSettings(demoSettings(sandbox)), store: location };
  return closeLater(createClient(options, service) as unknown as FxdeskClient);
}

async function book(client: FxdeskClient, reference: string) {
  const quote_id = await makeQuote(client);
  const { body, journal } = await client.trades.book.response(
    { quote_id, reason: "other", reference },
    { key: reference },
  );
  return { identity: body.trade_id, entry: journal!.entry, reference };
}

const today = () => new Date().toISOString().slice(0, 10);

test("agrees after bookings, and reports one that was made outside fxdesk", async () => {
  const client = openClient();
  await book(client, "TEST-1");
  await book(client, "TEST-2");
  expect(await differences()).toEqual([]);
  const elsewhere = openClient(join(await tempFolder(), "other.db"));
  const { identity } = await book(elsewhere, "TEST-3");
  expect(await differences()).toEqual([
    { kind: "unrecorded", operation: "trades.book", day: today(), identity, reference: "TEST-3" },
  ]);
  expect((await reconcile("--to", "2020-01-31")).found).toMatchObject({
    from: "2020-01-25",
    differences: [],
  });
  const { code, stdout } = await runFxdesk(["journal", "reconcile"], { variables });
  expect(code).toBe(1);
  for (const words of ["unrecorded", identity, "TEST-3"]) expect(stdout).toContain(words);
});

test("reports an entry whose trade the service does not list", async () => {
  const client = openClient();
  const kept = await book(client, "TEST-1");
  const before = sandbox.save();
  const removed = await book(client, "TEST-2");
  sandbox.control.load(before as never);
  const { reference, ...found } = removed;
  expect(await differences()).toEqual([
    { kind: "missing", operation: "trades.book", day: today(), ...found, reference, state: "done" },
  ]);
  expect(kept.entry).not.toBe(removed.entry);
});

test("reports unknown outcomes, booked and not booked", async () => {
  const client = openClient();
  const lose = async (reference: string, kind: "reset-before" | "reset-after") => {
    sandbox.control.addFault({ operation: "trades.book", kind });
    sandbox.control.addFault({ operation: "trades.list", kind: "status", status: 403, times: 1 });
    const error = await book(client, reference).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ outcome: "unknown" });
  };
  await lose("TEST-1", "reset-before");
  await lose("TEST-2", "reset-after");
  await client.close();
  const found = await differences();
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: "unknown", reference: "TEST-1", state: "unknown" }),
      expect.objectContaining({
        kind: "unrecorded",
        reference: "TEST-2",
        state: "unknown",
        identity: expect.any(String) as string,
      }),
    ]),
  );
  expect(found).toHaveLength(2);
  await runFxdesk(["journal", "recover"], { variables });
  expect(await differences()).toMatchObject([{ kind: "unknown", reference: "TEST-1" }]);
});

test("reports a trade that differs from its quote", async () => {
  const client = openClient();
  const trade = await book(client, "TEST-1");
  const saved = JSON.stringify(sandbox.save());
  expect(await differences()).toEqual([]);
  sandbox.control.load(JSON.parse(saved.replaceAll('"1000"', '"100"')) as never);
  expect(await differences()).toMatchObject([
    {
      kind: "different",
      ...trade,
      remark: expect.stringMatching(/sell_amount is 100, quoted 1000/) as string,
    },
  ]);
});

test("compares all pages", async () => {
  const client = openClient();
  for (let number = 1; number <= 60; number += 1) await book(client, `TEST-${number}`);
  expect(await differences()).toEqual([]);
  expect((await reconcile()).found).toMatchObject({ entries: 60 });
});

test("says what it could not read, with another exit code", async () => {
  await book(openClient(), "TEST-1");
  sandbox.control.addFault({ operation: "trades.list", kind: "status", status: 403 });
  const { code, found } = await reconcile();
  expect(code).toBe(8);
  expect(found).toMatchObject({ differences: [], unread: [expect.stringContaining("trades.list")] });
  sandbox.control.addFault({ operation: "trades.list", kind: "status", status: 403 });
  const { stdout } = await runFxdesk(["journal", "reconcile"], { variables });
  expect(stdout).toMatch(/Incomplete +trades\.list: /);
});

test("names calls that it does not compare, and leaves out those in progress", async () => {
  const opened = closeLater(await openJournal({ location: store, key: undefined }));
  const environment = `sandbox ${sandbox.baseUrl.replace(/\/$/, "")}`;
  const { entry } = await opened.claim(intent({ environment, client: demo.clientId }), longMs);
  await opened.claim(intent({ environment, operation: "payments.initiate", key: "k-2" }), longMs);
  const { found } = await reconcile();
  expect(found).toMatchObject({
    inProgress: 1,
    notCompared: [{ operation: "payments.initiate", entries: 1 }],
  });
  expect(entry.state).toBe("intended");
});

test("refuses an invalid period", async () => {
  for (const words of [
    ["--from", "yesterday"],
    ["--to", "2026-02-30"],
    ["--from", "2026-02-02", "--to", "2026-02-01"],
  ])
    await usageErrorOf(["journal", "reconcile", ...words], { variables });
});
