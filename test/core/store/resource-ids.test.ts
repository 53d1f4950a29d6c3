/** IDs of created resources, on every engine. */
import { checkStore } from "../../../core/client/check-store";
import {
  removeResourceId,
  forgetResourceIds,
  saveResourceId,
  listResourceIds,
  maxResourceIds,
} from "../../../core/store/resource-ids";
import { moveStore } from "../../../core/store/move";
import type { CallScope } from "../../../core/store/call-scope";
import { type Store, withStore } from "../../../core/store/open";
import type { StoreSettings } from "../../../core/store/settings";
import { engines } from "./engines";

const scope: CallScope = {
  environment: "sandbox https://sandbox.example.com",
  client: "anna@example.com",
  operation: "consents.create",
};
const name = "consent_id";
const given = { validUntil: "2027-01-31" };

describe.each(engines())("$name", ({ create }) => {
  let settings: StoreSettings;
  beforeEach(async () => (settings = await create()));

  const keep = (store: Store, id: string, where: Partial<CallScope> = {}) =>
    saveResourceId(store, { ...scope, ...where }, name, { id, given });
  const idsOf = async (store: Store, where: Partial<CallScope> = {}) =>
    (await listResourceIds(store, { ...scope, ...where })).map(({ id }) => id);
  /** Makes the stored IDs older. */
  const age = ({ database }: Store, ms = 1_000) =>
    database.run("UPDATE fxdesk_created SET created_at = created_at - $1", [ms]);

  test("lists IDs newest first by scope, and renews a repeated one", async () => {
    await withStore(settings, async (store) => {
      const before = Date.now();
      await keep(store, "c-1");
      await keep(store, "of-another", { client: "bert@example.com" });
      await keep(store, "elsewhere", { environment: "api https://api.example.com" });
      await keep(store, "of-another-kind", { operation: "widgets.create" });
      await age(store);
      await keep(store, "c-2");

      expect(await listResourceIds(store, scope)).toMatchObject([
        { id: "c-2", given },
        { id: "c-1", given },
      ]);
      const [newest] = await listResourceIds(store, scope);
      expect(Math.abs(newest!.at - before)).toBeLessThan(60_000);
      await age(store);
      await keep(store, "c-1");
      expect(await idsOf(store)).toEqual(["c-1", "c-2"]);
    });
  });

  test("removes an ended ID, but not the same ID elsewhere", async () => {
    await withStore(settings, async (store) => {
      const environment = "api https://api.example.com";
      await keep(store, "c-1");
      await keep(store, "c-1", { environment });
      await removeResourceId(store, scope.environment, "payment_id", "c-1");
      expect(await idsOf(store)).toEqual(["c-1"]);
      await removeResourceId(store, scope.environment, name, "c-1");
      expect(await idsOf(store)).toEqual([]);
      expect(await idsOf(store, { environment })).toEqual(["c-1"]);
    });
  });

  test("stores only the newest IDs of each scope", async () => {
    await withStore(settings, async (store) => {
      await keep(store, "of-another", { client: "bert@example.com" });
      await keep(store, "oldest");
      await age(store);
      for (let count = 0; count < maxResourceIds; count += 1) await keep(store, `c-${count}`);
      const ids = await idsOf(store);
      expect(ids).toHaveLength(maxResourceIds);
      expect(ids).not.toContain("oldest");
      expect(await store.database.run("SELECT id FROM fxdesk_created")).toHaveLength(maxResourceIds + 1);
      expect(await idsOf(store, { client: "bert@example.com" })).toEqual(["of-another"]);
    });
  });

  test("forgets one ID, or all of a client", async () => {
    await withStore(settings, async (store) => {
      for (const id of ["c-1", "c-2", "c-3"]) await keep(store, id);
      await keep(store, "of-another", { client: "bert@example.com" });
      expect(await forgetResourceIds(store, "c-2")).toBe(1);
      expect((await idsOf(store)).toSorted()).toEqual(["c-1", "c-3"]);
      expect(await forgetResourceIds(store, "nobody")).toBe(0);
      expect(await forgetResourceIds(store, scope.client)).toBe(2);
      expect(await idsOf(store)).toEqual([]);
      expect(await idsOf(store, { client: "bert@example.com" })).toEqual(["of-another"]);
    });
  });

  test("seals IDs and moves them with the store", async () => {
    const key = Buffer.alloc(32, 5);
    await withStore(settings, async (store) => {
      await keep(store, "consent-of-anna");
      const rows = await store.database.run("SELECT * FROM fxdesk_created");
      expect(JSON.stringify(rows)).not.toMatch(/consent-of-anna|2027-01-31/);
    });
    const to = { ...(await create()), key };
    expect((await moveStore(settings, to)).rows).toMatchObject({ fxdesk_created: 1 });
    await withStore(to, async (store) => {
      expect(await listResourceIds(store, scope)).toMatchObject([{ id: "consent-of-anna", given }]);
      await removeResourceId(store, scope.environment, name, "consent-of-anna");
      expect(await idsOf(store)).toEqual([]);
    });
  });

  test("reports a tampered ID as a fault", async () => {
    await withStore(settings, async (store) => {
      await keep(store, "c-1");
      await keep(store, "c-2");
      await store.database.run(
        "UPDATE fxdesk_created SET content = (SELECT max(content) FROM fxdesk_created)",
      );
    });
    expect((await checkStore(settings)).faults).toEqual([
      "A sealed text in fxdesk_created was changed or is incomplete.",
    ]);
  });
});
