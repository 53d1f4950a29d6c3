/** Tests fxdesk store, halt and resume. */
import { copyFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { join } from "node:path";
import { saveResourceId, listResourceIds } from "../../core/store/resource-ids";
import { createPeople } from "../../core/people/administration";
import { withStore } from "../../core/store/open";
import { schemaVersion } from "../../core/store/schema";
import { loadTokens, saveTokens } from "../../core/store/tokens";
import { faultServer, respond } from "../support/fault-server";
import { closeLater, tempFolder } from "../support/resources";
import { booking, jsonOf, runFxdesk, spawnFxdesk, storeVariables, variablesFor } from "./run-command";

const key = Buffer.alloc(32, 7);
const otherKey = Buffer.alloc(32, 9);
const pair = { accessToken: "access-1", refreshToken: "refresh-1", remainingMs: 1_000 };

let location: string;
beforeEach(async () => {
  location = join(await tempFolder(), "store.db");
});

const run = (line: string, ...more: readonly string[]) =>
  runFxdesk([...line.split(" "), ...more], { variables: storeVariables(location) });
const json = (line: string, ...more: readonly string[]) =>
  jsonOf<Record<string, any>>([...line.split(" "), ...more], storeVariables(location));

describe("fxdesk store", () => {
  test("check prints the location and contents", async () => {
    await withStore({ location, key }, (store) => saveTokens(store, "family", 0, pair));
    expect(await json("store check")).toEqual({
      store: location,
      version: schemaVersion,
      encrypted: true,
      tokens: 1,
      entries: 0,
      halts: [],
      faults: [],
    });
    const { code, stdout } = await runFxdesk(["store", "check", "--store", location], {
      variables: storeVariables("/nowhere"),
    });
    expect(code).toBe(0);
    for (const words of [location, `version ${schemaVersion}`, "yes"]) expect(stdout).toContain(words);
  });

  test("check reports unreadable entries as faults", async () => {
    await withStore({ location, key }, async (store) => {
      await saveTokens(store, "family", 0, pair);
      await store.run("UPDATE fxdesk_tokens SET content = '{}'");
    });
    expect(await run("store check")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("fxdesk_tokens is not encrypted") as string,
    });
  });

  test("check refuses a store with another key", async () => {
    await withStore({ location, key: otherKey }, (store) => saveTokens(store, "family", 0, pair));
    expect(await run("store check")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("another FXDESK_STORE_KEY") as string,
    });
  });

  test("forget deletes a recorded ID", async () => {
    const scope = { environment: "api https://api.example.com", client: "c-1", operation: "consents.create" };
    await withStore({ location, key }, async (store) => {
      for (const id of ["first", "second"])
        await saveResourceId(store, scope, "consent_id", { id, given: {} });
    });
    expect(await json("store forget first")).toEqual({ forgotten: 1 });
    expect((await run("store forget first")).stdout).toMatch(/Deleted +0/);
    const left = await withStore({ location, key }, (store) => listResourceIds(store, scope));
    expect(left.map(({ id }) => id)).toEqual(["second"]);
  });

  test("backup copies the store to a new file, not over another one", async () => {
    await withStore({ location, key }, (store) => saveTokens(store, "family", 0, pair));
    const path = join(await tempFolder(), "backup.db");
    expect(await json("store backup", path)).toEqual({ store: location, backup: path, entries: 0 });
    const copied = await withStore({ location: path, key }, (store) => loadTokens(store, "family"));
    expect(copied).toMatchObject({ accessToken: "access-1" });
    expect(await run("store backup", path)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(path) as string,
    });
  });

  test("restore stops money until a person with a secret confirms it", async () => {
    const server = closeLater(await faultServer(respond(201, '{"trade_id":"t-1"}')));
    const folder = await tempFolder();
    const people = join(folder, "people.json");
    await createPeople(people, "anna", "correct horse battery");
    const variables = { ...variablesFor(server), ...storeVariables(location), FXDESK_PEOPLE: people };
    const fxdesk = (words: string, input = "") => runFxdesk(words.split(" "), { variables, input });
    const backup = join(folder, "backup.db");
    await fxdesk("store check");
    await fxdesk(`store backup ${backup}`);
    expect(await fxdesk(`store restore ${backup}`)).toMatchObject({ code: 0 });
    const book = () => runFxdesk([...booking, "--yes", "--json"], { variables });
    const { code, stderr } = await book();
    expect({ code, error: JSON.parse(stderr) as object }).toMatchObject({
      code: 5,
      error: { code: "store_restored", outcome: "not-sent" },
    });
    expect(await fxdesk("store confirm --by anna", "another secret\n")).toMatchObject({ code: 2 });
    expect((await book()).code).toBe(5);
    expect(server.heads).toEqual([]);
    const confirmed = await fxdesk(
      "store confirm --by anna --payments-checked --json",
      "correct horse battery\n",
    );
    expect(JSON.parse(confirmed.stdout)).toEqual({ recorded: ["confirmed", "checked"] });
    expect((await book()).code).toBe(0);
  });

  test("the file alone has all calls after a command, also beside a running process", async () => {
    const server = closeLater(await faultServer(respond(201, '{"trade_id":"t-1"}')));
    const variables = { ...variablesFor(server), ...storeVariables(location) };
    await withStore({ location, key }, async () => {
      expect(await spawnFxdesk([...booking, "--yes"], { variables })).toMatchObject({ code: 0 });
      await copyFile(location, `${location}.copy`);
    });
    const listed = await jsonOf(["journal", "list"], storeVariables(`${location}.copy`));
    expect(listed).toMatchObject([{ state: "done", ending: { identity: "t-1" } }]);
  });

  test("move puts everything under another key, and the old location names the new one", async () => {
    const to = join(await tempFolder(), "store.db");
    await withStore({ location, key }, (store) => saveTokens(store, "family", 0, pair));
    const variables = {
      ...storeVariables(location),
      FXDESK_STORE_KEY_TO: otherKey.toString("base64"),
    };
    expect(await jsonOf(["store", "move", "--to", to], variables)).toMatchObject({
      from: location,
      to,
      rows: { fxdesk_tokens: 1 },
    });
    const kept = await withStore({ location: to, key: otherKey }, (store) => loadTokens(store, "family"));
    expect(kept).toMatchObject({ accessToken: "access-1" });
    const message = `The store moved to ${to}. Set FXDESK_STORE to the new location`;
    expect(await run("store check")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(message) as string,
    });
  });
});

describe("fxdesk halt", () => {
  test("prints person and reason, stays until resumed, and is shown by store check", async () => {
    const halted = await run("halt --reason", "wrong rates");
    expect(halted).toMatchObject({ code: 0, stderr: "" });
    expect(halted.stdout).toContain(`by ${userInfo().username} on`);
    expect(halted.stdout).toContain("(wrong rates). To end the halt, run `fxdesk resume`.");
    expect((await run("store check")).stdout).toMatch(/Halted +\S.*wrong rates/s);
    expect(await json("store check")).toMatchObject({ halts: [expect.stringContaining("wrong rates")] });
    expect((await run("resume")).stdout).toBe("The halt has ended. Calls are sent again.\n");
    expect((await run("resume")).stdout).toBe("There was no halt.\n");
  });

  test("halts one environment in the name of the actor", async () => {
    const variables = {
      ...storeVariables(location),
      FXDESK_ENVIRONMENT: "api",
      FXDESK_ACTOR: "night desk",
    };
    expect(await jsonOf(["halt", "--environment", "sandbox"], variables)).toEqual({
      halts: [{ environment: "sandbox", at: expect.any(Number) as number, by: "night desk" }],
    });
    // FXDESK_ENVIRONMENT does not select the halted environment.
    const all = await jsonOf<{ halts: object[] }>(["halt"], variables);
    expect(all.halts[0]).not.toHaveProperty("environment");
    expect((await run("resume --environment sandbox")).stdout).toMatch(
      /^One halt has ended\.\nAnother halt is still in force: .* by night desk\.\n$/,
    );
  });

  test("refuses a booking with its own exit code", async () => {
    await run("halt");
    const server = closeLater(await faultServer(respond(201, '{"trade_id":"t-1"}')));
    const { code, stderr } = await runFxdesk([...booking, "--yes", "--json"], {
      variables: { ...storeVariables(location), ...variablesFor(server) },
    });
    expect(server.heads).toHaveLength(0);
    expect(code).toBe(5);
    expect(JSON.parse(stderr.trim().split("\n").at(-1)!)).toMatchObject({
      code: "halted",
      outcome: "not-sent",
    });
  });
});
