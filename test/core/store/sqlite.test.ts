/** SQLite only: permissions, locations and concurrent processes. */
import { execFile } from "node:child_process";
import fs, { chmod, chown, mkdir, readdir, realpath, stat, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { withStore } from "../../../core/store/open";
import { findNetworkDrive } from "../../../core/store/file-location";
import { parseStoreSettings } from "../../../core/store/settings";
import { loadTokens, saveTokens } from "../../../core/store/tokens";
import { faultServer, respond } from "../../support/fault-server";
import { closeLater, runLater, tempFolder } from "../../support/resources";
import { key as randomKey } from "./engines";

let folder: string;
beforeAll(async () => (folder = await tempFolder()));
const pair = { accessToken: "access-1", refreshToken: "refresh-1", remainingMs: 1_000 };
const load = (location: string) =>
  withStore({ location, key: undefined }, (store) => loadTokens(store, "family"));

let warnings: jest.SpyInstance;
beforeEach(() => {
  warnings = jest.spyOn(process, "emitWarning").mockReturnValue();
  runLater(() => warnings.mockRestore());
});

test("is readable by its user only, with its folder and log files", async () => {
  const [parent, location] = [join(folder, "made"), join(folder, "made/store.db")];
  await withStore({ location, key: undefined }, async (store) => {
    await saveTokens(store, "family", 0, pair);
    const names = await readdir(parent);
    expect(names).toContain("store.db-wal");
    for (const path of [parent, ...names.map((name) => join(parent, name))])
      expect({ path, others: (await stat(path)).mode & 0o077 }).toEqual({ path, others: 0 });
  });
});

test("warns once about plain text, when created", async () => {
  const place = join(folder, "plain.db");
  for (let count = 0; count < 3; count += 1) await load(place);
  expect(warnings).toHaveBeenCalledTimes(1);
  expect(warnings).toHaveBeenCalledWith(expect.stringContaining("unencrypted"), expect.anything());
  await withStore({ location: join(folder, "sealed.db"), key: randomKey }, async () => undefined);
  expect(warnings).toHaveBeenCalledTimes(1);
});

test("is refused if others can read it", async () => {
  const place = join(folder, "open.db");
  await writeFile(place, "");
  await chmod(place, 0o640);
  await expect(load(place)).rejects.toThrow(`Run \`chmod 600 ${place}\``);
});

test.each<[name: string, make: (location: string) => Promise<unknown>]>([
  ["not a database", (place) => writeFile(place, "x".repeat(10_000), { mode: 0o600 })],
  ["a folder", (place) => mkdir(place)],
  ["below a file", async (place) => writeFile(place.replace(/\/store\.db$/, ""), "")],
])("refuses a path that is %s, and leaves it unchanged", async (name, make) => {
  const place = join(folder, name.replaceAll(" ", "-"), "store.db");
  if (name !== "below a file") await mkdir(join(place, ".."));
  await make(place);
  await expect(load(place)).rejects.toThrow(/not a database|not a file|ENOTDIR|EEXIST/);
});

test.each<[path: string, type: number, platform: NodeJS.Platform, drive: string | undefined]>([
  ["/srv/store.db", 0x6969, "linux", "NFS"],
  ["/srv/store.db", -11317950, "linux", "CIFS"],
  ["/srv/store.db", 0x65735546, "linux", "FUSE"],
  ["/srv/store.db", 0xef53, "linux", undefined],
  ["\\\\server\\share\\store.db", 0, "win32", "a share"],
  ["C:\\store.db", 0, "win32", undefined],
])("%s of type %d on %s is on %s", (path, type, platform, drive) => {
  expect(findNetworkDrive(path, type, platform)).toBe(drive);
});

test("is refused on the network drive to which its path links", async () => {
  const [drive, here] = [join(folder, "drive"), join(folder, "here")];
  for (const path of [drive, here]) await mkdir(path);
  await writeFile(join(drive, "store.db"), "", { mode: 0o600 });
  await symlink(join(drive, "store.db"), join(here, "store.db"));
  const remote = await realpath(drive);
  const { statfs } = fs;
  const spied = jest.spyOn(fs, "statfs").mockImplementation(async (path) => {
    const stats = await statfs(path);
    return Object.assign(stats, path === remote && { type: 0x6969 });
  });
  runLater(() => spied.mockRestore());
  await expect(load(join(here, "store.db"))).rejects.toThrow("on a network drive (NFS)");
});

test.each<[what: string, mode: number, isRefused: boolean]>([
  ["all users", 0o777, true],
  ["all users, each their own files", 0o1777, false],
  ["its user", 0o755, false],
])("in a folder that %s can change", async (what, mode, isRefused) => {
  const shared = join(folder, what.replaceAll(" ", "-"));
  await mkdir(shared);
  await chmod(shared, mode);
  const loading = load(join(shared, "store.db"));
  if (!isRefused) return expect(await loading).toBeUndefined();
  await expect(loading).rejects.toThrow(`Run \`chmod go-w ${shared}\``);
  expect(await readdir(shared)).toEqual([]);
});

test("is refused in a folder of another user, also through a link", async () => {
  const [foreign, linked] = [join(folder, "foreign"), join(folder, "linked.db")];
  await mkdir(foreign);
  const place = join(foreign, "store.db");
  await writeFile(place, "", { mode: 0o600 });
  await symlink(place, linked);
  const isOwner = await chown(foreign, 4_711, 4_711).then(
    () => false,
    () => true,
  );
  // Only root can give a folder away.
  if (isOwner) return;
  for (const path of [place, linked]) await expect(load(path)).rejects.toThrow("belongs to another user");
});

test("is refused through a link to no file", async () => {
  const linked = join(folder, "dangling.db");
  await symlink(join(folder, "nowhere.db"), linked);
  await expect(load(linked)).rejects.toThrow("link to a file that does not exist");
});

test("loses no acknowledged write of killed processes", async () => {
  const place = join(folder, "killed.db");
  const script = `
    require(${JSON.stringify(join(__dirname, "../../../dist/core/store/open.js"))})
      .withStore({ location: ${JSON.stringify(place)}, key: undefined }, async ({ database }) => {
        const [{ fence }] = await database.run(
          "INSERT INTO fxdesk_leases (name, fence, expires_at) VALUES ('count', 1, 0) " +
          "ON CONFLICT (name) DO UPDATE SET fence = fxdesk_leases.fence + 1 RETURNING fence");
        process.stdout.write(String(fence), () => process.kill(process.pid, "SIGKILL"));
      });`;
  const seen: number[] = [];
  await Promise.all(
    [0, 1, 2].map(async () => {
      for (let run = 0; run < 4; run += 1) {
        const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]).catch(
          (error: { stdout: string }) => error,
        );
        seen.push(Number(stdout));
      }
    }),
  );
  expect(seen.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
});

test("does not load the store with a valid access token and a refresh token", async () => {
  const { url } = closeLater(await faultServer(respond(200, "[]")));
  const tokens = { accessToken: "token", refreshToken: "refresh-0" };
  const credentials = { ...tokens, authClientId: "app", authClientSecret: "app-secret" };
  const script = `
    const { createClient } = require(${JSON.stringify(join(__dirname, "../../../dist/core/index.js"))});
    createClient(${JSON.stringify({ baseUrl: url, clientId: "c-1", credentials })}).trades.list().then(() => {
      console.log(JSON.stringify(Object.keys(require.cache)));
      process.exit();
    });`;
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", script]);
  const loaded = (JSON.parse(stdout) as string[]).filter((path) =>
    /@photostructure|core.store|shared/.test(path),
  );
  expect(loaded.map((path) => basename(path))).toEqual(["settings.js"]);
});

test("the store is in the state folder of the user by default", () => {
  expect(parseStoreSettings({}).location).toBe(join(process.env.XDG_STATE_HOME!, "fxdesk/store.db"));
});

test("a store in another database is refused", () => {
  expect(() => parseStoreSettings({ store: "mysql://localhost/x" })).toThrow("absolute path");
});
