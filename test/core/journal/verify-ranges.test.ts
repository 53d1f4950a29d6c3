/** A chain that is verified in parts, as several threads do it: entries begin in one part and end in another. */
import { readHead } from "../../../core/journal/events";
import { emptyHead } from "../../../core/journal/hash-chain";
import { openJournal } from "../../../core/journal/journal";
import { Verification } from "../../../core/journal/verify";
import { verifyRange } from "../../../core/journal/verify-range";
import { openStore, type Store } from "../../../core/store/open";
import { closeLater, runLater } from "../../support/resources";
import { engines } from "../store/engines";
import { done, intent, longMs, notSent, unknown } from "./fixtures";

const { environment } = intent();

/** Makes calls whose events are interleaved: some end late, one is sent again, and one is still open. */
async function fill({ create }: ReturnType<typeof engines>[number]): Promise<Store> {
  const settings = await create();
  const journal = closeLater(await openJournal(settings));
  const entries = [];
  for (const key of ["a", "b", "c", "d"]) entries.push((await journal.claim(intent({ key }), longMs)).entry);
  const [first, second, third] = entries;
  await journal.recordOutcome(first!, notSent);
  const { entry: again } = await journal.claim(intent({ key: "a" }), longMs);
  for (const entry of [again, second!, third!]) await journal.recordSent(entry);
  await journal.recordOutcome(third!, unknown);
  await journal.recordOutcome(second!, done);
  await journal.recordOutcome(again, done);
  const store = await openStore(settings);
  runLater(() => store.database.close());
  return store;
}

/** Verifies the chain in two parts. */
async function verifyAround(store: Store, middle: number) {
  const [row] = await store.run("SELECT seq, hash FROM fxdesk_journal_events WHERE seq = $1", [middle]);
  const starts = [emptyHead, { seq: Number(row!.seq), hash: String(row!.hash) }];
  const verification = new Verification([]);
  verification.startChain(emptyHead);
  for (const [index, from] of starts.entries()) {
    const range = { environment, from, to: index === 0 ? middle : Number.MAX_SAFE_INTEGER };
    verification.addPart(environment, from, await verifyRange(store, range, []));
  }
  return { ...verification.finish(), matched: verification.matched };
}

describe.each(engines())("$name", (engine) => {
  test("finds no fault wherever the chain is cut, and a changed event on either side", async () => {
    const store = await fill(engine);
    const { seq: count } = await readHead(store, environment);
    expect(count).toBe(12);
    for (let middle = 1; middle < count; middle += 1) {
      expect({ middle, ...(await verifyAround(store, middle)) }).toMatchObject({
        middle,
        events: count,
        entries: 4,
        matched: { entries: 4 },
        faults: [],
      });
      for (const seq of [middle, middle + 1, count]) {
        const change = (by: number) =>
          store.run("UPDATE fxdesk_journal_events SET at = at + $1 WHERE seq = $2", [by, seq]);
        await change(1);
        expect((await verifyAround(store, middle)).faultCount).toBeGreaterThan(0);
        await change(-1);
      }
    }
  });
});
