/** Profiles file: atomic updates, private to the user. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { dirname } from "node:path";
import {
  updateProfile,
  isProfileName,
  type Profile,
  profilesPath,
  readProfiles,
  sealSecrets,
  unsealSecrets,
} from "../../../core/http/profiles";

const path = profilesPath();
const folder = dirname(path);
beforeEach(() => rm(folder, { recursive: true, force: true }));

const profile = (clientId: string): Profile => ({ settings: { clientId } });

test("writes, changes and removes one profile and keeps the others", async () => {
  await updateProfile("one", () => profile("c-1"));
  await updateProfile("two", () => profile("c-2"));
  await updateProfile("one", (found) => ({ settings: { ...found!.settings, contactId: "p-1" } }));
  expect(await readProfiles()).toEqual(
    new Map([
      ["one", { settings: { clientId: "c-1", contactId: "p-1" } }],
      ["two", profile("c-2")],
    ]),
  );
  await updateProfile("one", () => undefined);
  expect([...(await readProfiles()).keys()]).toEqual(["two"]);
});

test("keeps all concurrent changes", async () => {
  const names = Array.from({ length: 6 }, (_, index) => `p-${index}`);
  await Promise.all(names.map((name) => updateProfile(name, () => profile(name))));
  expect([...(await readProfiles()).keys()].toSorted()).toEqual(names.toSorted());
});

test("changes nothing if an update fails", async () => {
  await updateProfile("one", () => profile("c-1"));
  const before = await readFile(path, "utf8");
  const failing = updateProfile("one", () => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect(await readFile(path, "utf8")).toBe(before);
  expect(await readdir(folder)).toEqual(["profiles.json"]);
});

test("refuses a file that others may read", async () => {
  await updateProfile("one", () => profile("c-1"));
  await chmod(path, 0o640);
  await expect(readProfiles()).rejects.toThrow(`chmod 600 ${path}`);
  await expect(updateProfile("two", () => profile("c-2"))).rejects.toThrow("Other users can read");
});

test.each([
  ["no JSON", "{"],
  ["another shape", "[]"],
  ["an invalid name", '{"profiles":{"../x":{"settings":{}}}}'],
  ["settings that are not strings", '{"profiles":{"x":{"settings":{"clientId":1}}}}'],
])("names the file if it contains %s", async (_what, content) => {
  await mkdir(folder, { recursive: true });
  await writeFile(path, content, { mode: 0o600 });
  await expect(readProfiles()).rejects.toThrow(path);
});
test.each(["", ".a", "__proto__", "a/b", "a".repeat(65)])("refuses the name %j", (name) => {
  expect(isProfileName(name)).toBe(false);
});

describe("secrets of a profile", () => {
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const store = (given: Buffer | undefined) => ({ location: "/unused", key: given });
  const secrets = { apiKey: "api-key-of-one" };

  test("are sealed with the store key for their profile", () => {
    const sealed = { settings: {}, secrets: sealSecrets("one", secrets, store(key)) };
    expect(sealed.secrets).not.toContain(secrets.apiKey);
    expect(unsealSecrets("one", sealed, store(key))).toEqual(secrets);
    expect(() => unsealSecrets("two", sealed, store(key))).toThrow("was changed");
    expect(() => unsealSecrets("one", sealed, store(other))).toThrow("another FXDESK_STORE_KEY");
    expect(() => unsealSecrets("one", sealed, store(undefined))).toThrow("set FXDESK_STORE_KEY");
  });

  test("work without a key, and are empty after a logout", () => {
    const plain = { settings: {}, secrets: sealSecrets("one", secrets, store(undefined)) };
    expect(unsealSecrets("one", plain, store(undefined))).toEqual(secrets);
    expect(unsealSecrets("one", { settings: {} }, store(key))).toEqual({});
  });
});
