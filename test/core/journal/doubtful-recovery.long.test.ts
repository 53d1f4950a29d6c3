/** Recovery rejects a trade with other amounts, waits during a halt, and blocks a resolution while it repeats a call. */
import { join } from "node:path";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { openJournal } from "../../../core/journal/journal";
import { resolveEntry } from "../../../core/journal/operator-actions";
import { endHalts, startHalt } from "../../../core/store/halt";
import { withStore } from "../../../core/store/open";
import { parseStoreSettings } from "../../../core/store/settings";
import { createReleaseFixture, people } from "../releases/release-fixture";
import { eventually } from "../../support/eventually";
import { closeLater, tempFolder } from "../../support/resources";
import { makeQuote, sampleInput } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";

type Payment = Parameters<FxdeskClient["payments"]["initiate"]>[0];
const reasonOf = (error: unknown) => error;

test("a trade with the reference and other amounts leaves a lost booking unknown", async () => {
  const { sandbox, client: createClient } = await createReleaseFixture({ policy: { people: [...people] } });
  const book = async (by: FxdeskClient, amount: number) =>
    by.trades.book({ quote_id: await makeQuote(by, { amount }), reason: "other", reference: "RENT" });
  await book(openClient(sandbox), 5);
  sandbox.control.addFault({ operation: "trades.book", kind: "reset-before", times: 1 });
  expect(await book(createClient(), 100_000).catch(reasonOf)).toMatchObject({ outcome: "unknown" });
});

test("a lost payment is not repeated during a halt, and is repeated after it", async () => {
  const sandbox = await openSandbox();
  const store = join(await tempFolder(), "store.db");
  const settings = parseStoreSettings({ store });
  const payment = (await sampleInput("payments.initiate", openClient(sandbox))) as unknown as Payment;
  const lost = openClient(sandbox, { store });
  sandbox.control.addFault({ operation: "payments.initiate", kind: "reset-before", times: 1 });
  expect(await lost.payments.initiate(payment, { key: "P" }).catch(reasonOf)).toMatchObject({
    outcome: "unknown",
  });
  await lost.close();
  const posts = () => sandbox.requests.filter(({ method }) => method === "POST").length;
  const before = posts();
  await withStore(settings, (opened) =>
    startHalt(opened, { environment: undefined, by: "anna", reason: "wrong" }),
  );
  const repeating = openClient(sandbox, { store, settings: { replaysByRequestId: "yes" } });
  /** The process that made the call may still search for it. */
  const recover = () =>
    eventually(
      async () => {
        const [result] = await repeating.recover();
        return !result!.remark.startsWith("Not searched") && result!;
      },
      { withinMs: 30_000, what: "a search by this process" },
    );
  const during = await recover();
  expect([during.state, during.remark, posts()]).toEqual([
    "unknown",
    expect.stringContaining("halt"),
    before,
  ]);
  await withStore(settings, endHalts);
  expect([(await recover()).state, posts()]).toEqual(["done", before + 1]);
});

test("a call that is being repeated cannot be resolved", async () => {
  const sandbox = await openSandbox();
  const store = join(await tempFolder(), "store.db");
  const settings = parseStoreSettings({ store });
  const payment = (await sampleInput("payments.initiate", openClient(sandbox))) as unknown as Payment;
  const client = openClient(sandbox, { store, settings: { replaysByRequestId: "yes" } });
  sandbox.control.addFault({ operation: "payments.initiate", kind: "reset-before", times: 1 });
  sandbox.control.addFault({
    operation: "payments.initiate",
    kind: "latency",
    milliseconds: 4_000,
    times: 1,
  });
  const waiting = client.payments.initiate(payment, { key: "P" }).catch(reasonOf);
  const journal = closeLater(await openJournal(settings));
  const { id } = await eventually(
    async () => {
      const [entry] = await journal.list();
      return entry?.endingDetails?.resentAt !== undefined && entry;
    },
    { withinMs: 10_000, what: "the repeated call" },
  );
  const resolution = { state: "not-sent", identity: undefined, note: "not listed", actor: "anna" } as const;
  await expect(withStore(settings, (opened) => resolveEntry(opened, id, resolution))).rejects.toThrow(
    /being repeated/,
  );
  await waiting;
  const { state } = await eventually(
    async () => {
      const [entry] = await journal.list();
      return entry?.state === "done" && entry;
    },
    { withinMs: 15_000, what: "the outcome of the repeated call" },
  );
  expect(state).toBe("done");
});
