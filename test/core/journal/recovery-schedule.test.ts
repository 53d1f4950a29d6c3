/** Recovery schedule and leases on every engine, with concurrent processes. */
import { randomBytes } from "node:crypto";
import type { Entry } from "../../../core/journal/entry";
import type { CallScope } from "../../../core/store/call-scope";
import { eraseDetails } from "../../../core/journal/operator-actions";
import { type Journal, openJournal } from "../../../core/journal/journal";
import { withStore } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import { eventually } from "../../support/eventually";
import { closeLater } from "../../support/resources";
import { engines } from "../store/engines";
import { done, intent, longMs, unknown } from "./fixtures";

const abandoned = { ...unknown, by: "recovery" } as const;

describe.each(engines())("$name", ({ create }) => {
  let settings: StoreSettings;
  let journals: Journal[];
  let scope: CallScope;
  beforeAll(async () => (settings = await create()));
  beforeEach(async () => {
    journals = [closeLater(await openJournal(settings)), closeLater(await openJournal(settings))];
    const { environment, operation } = intent();
    scope = { environment, operation, client: randomBytes(8).toString("hex") };
  });

  async function entry(reference: string, holdMs = longMs): Promise<Entry> {
    const key = randomBytes(8).toString("hex");
    const claim = await journals[0]!.claim(intent({ ...scope, key, reference }), holdMs);
    await journals[0]!.recordSent(claim.entry);
    return claim.entry;
  }

  /** Creates an unknown entry that is not reserved for its process. */
  const lost = async (reference = "FX-1") => journals[0]!.recordOutcome(await entry(reference), abandoned);
  const take = async (which: "due" | "all" = "due", by = 0) =>
    (await journals[by]!.leaseUnknown(scope, which === "due" ? which : { afterId: "" }, longMs)).map(
      (look) => look.entry.id,
    );

  test("leases an unknown entry to one of many", async () => {
    const ids = new Set<string>();
    for (let count = 0; count < 20; count += 1) ids.add((await lost()).id);
    const taken = await Promise.all([take("due", 0), take("due", 1), take("all", 0), take("all", 1)]);
    expect(taken.flat().length).toBe(20);
    expect(new Set(taken.flat())).toEqual(ids);
  });

  test("pauses after a failed search, except for explicit requests and new processes", async () => {
    const { id } = await lost();
    expect(await take()).toEqual([id]);
    await journals[0]!.reschedule(id, longMs);
    expect(await take()).toEqual([]);
    expect(await journals[0]!.nextRecoveryInMs(scope)).toBeGreaterThan(longMs / 2);
    expect(await take("all", 1)).toEqual([id]);
    expect(await journals[0]!.leaseOne(id, longMs)).toBeUndefined();
    await journals[1]!.reschedule(id, longMs);
    expect(await journals[0]!.leaseOne(id, longMs)).toMatchObject({ entry: { id }, attempts: 2 });
    await journals[0]!.reschedule(id, 0);
    expect(await take()).toEqual([id]);
  });

  test("frees the lease of a process that died", async () => {
    const { id } = await lost();
    expect(await journals[0]!.leaseOne(id, 300)).toBeDefined();
    expect(await take("all", 1)).toEqual([]);
    await eventually(async () => (await take("due", 1)).includes(id), { withinMs: 10_000, what: "its end" });
  });

  test("reserves a lost call for its own process first", async () => {
    const made = await entry("FX-2");
    await journals[0]!.recordOutcome(made, unknown);
    expect(await take("all", 1)).toEqual([]);
    expect(await journals[1]!.leaseOne(made.id, longMs)).toBeUndefined();
    await journals[0]!.reschedule(made.id, 0);
    expect(await take("due", 1)).toEqual([made.id]);
  });

  test("recovers calls of dead processes only", async () => {
    await entry("FX-3");
    const orphan = await entry("FX-4", 1);
    await eventually(async () => (await take("due", 1)).includes(orphan.id), {
      withinMs: 10_000,
      what: "its end",
    });
    expect(await journals[1]!.get(orphan.id)).toMatchObject({ state: "unknown", ending: { by: "recovery" } });
  });

  test("reports nothing due without unknown entries", async () => {
    expect(await journals[0]!.nextRecoveryInMs(scope)).toBeUndefined();
    const made = await entry("FX-5");
    await journals[0]!.recordOutcome(made, done);
    expect(await journals[0]!.nextRecoveryInMs(scope)).toBeUndefined();
    expect(await journals[0]!.leaseOne(made.id, longMs)).toBeUndefined();
  });

  test("finds entries by reference and by identity", async () => {
    const [first, second, other] = [await lost("INV-1"), await lost(" INV-1 "), await lost("INV-2")];
    const namesakes = async (of: Entry) =>
      (await journals[1]!.listByReference(of, of.reference)).map(({ id }) => id).filter((id) => id !== of.id);
    expect([await namesakes(first), await namesakes(second), await namesakes(other)]).toEqual([
      [second.id],
      [first.id],
      [],
    ]);
    const elsewhere = { ...first, client: "another" };
    expect(await namesakes(elsewhere)).toEqual([]);
    await journals[0]!.recordOutcome(first, { ...done, by: "recovery", identity: "t-1" });
    expect(await journals[1]!.findByIdentity(scope, "t-1")).toMatchObject({ id: first.id });
    expect(await journals[1]!.findByIdentity(scope, "t-2")).toBeUndefined();
    expect(await journals[1]!.findByIdentity({ ...scope, client: "another" }, "t-1")).toBeUndefined();
    await withStore(settings, (store) => eraseDetails(store, first.id));
    expect(await namesakes(second)).toEqual([]);
  });
});
