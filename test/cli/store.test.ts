/** Tests fxdesk store. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { saveResourceId, listResourceIds } from "../../core/store/resource-ids";
import { latestVersion } from "../../core/store/migrations";
import { withStore } from "../../core/store/open";
import { loadTokens, saveTokens } from "../../core/store/tokens";
import { runFxdesk } from "./run-command";

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), "fxdesk-store-"))));
afterAll(() => rm(folder, { recursive: true }));

const key = Buffer.alloc(32, 7);
const pair = { accessToken: "access-1", refreshToken: "refresh-1", remainingMs: 1_000 };

const check = (place: string, ...flags: string[]) =>
  runFxdesk(["store", "check", ...flags], {
    variables: { FXDESK_STORE: place, FXDESK_STORE_KEY: key.toString("base64") },
  });

test("check prints the location and contents", async () => {
  const location = join(folder, "sound.db");
  await withStore({ location, key }, (store) => saveTokens(store, "family", 0, pair));
  expect(JSON.parse((await check(location, "--json")).stdout)).toEqual({
    store: location,
    version: latestVersion,
    encrypted: true,
    tokens: 1,
    entries: 0,
    halts: [],
    faults: [],
  });
  const { code, stdout } = await check("/nowhere", "--store", location);
  expect(code).toBe(0);
  for (const words of [location, `version ${latestVersion}`, "yes"]) expect(stdout).toContain(words);
});

test("check reports unreadable entries as faults", async () => {
  const location = join(folder, "another.db");
  await withStore({ location, key: Buffer.alloc(32) }, (store) => saveTokens(store, "family", 0, pair));
  const { code, stdout } = await check(location);
  expect(code).toBe(1);
  expect(stdout).toContain("another FXDESK_STORE_KEY");
});

test.each([
  [{ FXDESK_STORE: "store.db" }, "FXDESK_STORE or --store must be the absolute path"],
  [{ FXDESK_STORE: "postgres://localhost/x" }, "FXDESK_STORE_KEY is required"],
])("%j is a usage error", async (variables, words) => {
  const { code, stderr } = await runFxdesk(["store", "check"], {
    variables: variables as Record<string, string>,
  });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
});

test("the key has no flag", async () => {
  const { code, stderr } = await runFxdesk(["store", "check", "--store-key", "abc"]);
  expect(code).toBe(2);
  expect(stderr).not.toContain("abc");
});

test.each([[[]], [["mend"]]])("fxdesk store %j lists the commands", async (words) => {
  const { code, stderr } = await runFxdesk(["store", ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain("check, forget, migrate or move");
});

test.each([[[]], [["--json"]]])("forget %j requires an ID", async (words) => {
  const { code, stderr } = await runFxdesk(["store", "forget", ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain("<id or client> is missing: fxdesk store forget <id or client>");
});

test("forget deletes a recorded ID", async () => {
  const location = join(folder, "created.db");
  const scope = { environment: "api https://api.example.com", client: "c-1", operation: "consents.create" };
  await withStore({ location, key }, async (store) => {
    for (const id of ["first", "second"]) await saveResourceId(store, scope, "consent_id", { id, given: {} });
  });
  const forget = (...words: string[]) =>
    runFxdesk(["store", "forget", ...words, "--store", location], { variables: withKey });
  expect(JSON.parse((await forget("first", "--json")).stdout)).toEqual({ forgotten: 1 });
  expect((await forget("first")).stdout).toMatch(/Deleted +0/);
  const left = await withStore({ location, key }, (store) => listResourceIds(store, scope));
  expect(left.map(({ id }) => id)).toEqual(["second"]);
});

test("forget does not create a store", async () => {
  const place = join(folder, "mistyped.db");
  const { code, stderr } = await runFxdesk(["store", "forget", "first", "--store", place], {
    variables: withKey,
  });

  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`There is no store at ${place}`) as string,
  });
  expect(existsSync(place)).toBe(false);
});

test.each([[["--help"]], [["move", "--help"]]])("fxdesk store %j prints help", async (words) => {
  const { code, stdout } = await runFxdesk(["store", ...words]);
  expect(code).toBe(0);
  for (const expected of ["fxdesk store", "new, empty", "FXDESK_STORE_KEY"])
    expect(stdout).toContain(expected);
});

const withKey = { FXDESK_STORE_KEY: key.toString("base64") };

test("migrate prints the versions", async () => {
  const place = join(folder, "new.db");
  const migrate = async (...flags: string[]) =>
    runFxdesk(["store", "migrate", "--store", place, ...flags], { variables: withKey });
  const { code, stdout } = await migrate();
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`from version 0 to ${latestVersion}`));
  expect(JSON.parse((await migrate("--json")).stdout)).toEqual({
    store: place,
    from: latestVersion,
    to: latestVersion,
  });
});

test("moves everything under another key, and the old location names the new one", async () => {
  const [location, to] = [join(folder, "old/store.db"), join(folder, "other/store.db")];
  const otherKey = Buffer.alloc(32, 9);
  await withStore({ location, key }, (store) => saveTokens(store, "family", 0, pair));
  const { code, stdout } = await runFxdesk(["store", "move", "--store", location, "--to", to, "--json"], {
    variables: { ...withKey, FXDESK_STORE_KEY_TO: otherKey.toString("base64") },
  });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ from: location, to, rows: { fxdesk_tokens: 1 } });
  const kept = await withStore({ location: to, key: otherKey }, (store) => loadTokens(store, "family"));
  expect(kept).toMatchObject({ accessToken: "access-1" });
  const again = await check(location);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain(`The store moved to ${to}. Set FXDESK_STORE to the new location`);
});

test.each<[args: string[], variables: Record<string, string>, words: string]>([
  [["--to", "store.db"], {}, "--to must be the absolute path"],
  [["--to", "postgres://localhost/x"], { FXDESK_STORE_KEY: "" }, "FXDESK_STORE_KEY_TO is required"],
  [["--to", "/x/store.db", "--store-key-to", "a-secret"], {}, "no flag --store-key-to"],
])("move %j with %j is a usage error", async (args, variables, words) => {
  const { code, stderr } = await runFxdesk(["store", "move", "--store", join(folder, "none.db"), ...args], {
    variables: { ...withKey, ...variables },
  });
  expect(code).toBe(2);
  expect(stderr).toContain(words);
  expect(stderr).not.toContain("a-secret");
});
