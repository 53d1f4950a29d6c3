/** Changes of the people file: who may make them, and what they end. */
import { copyFile, lstat, readdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import {
  addPerson,
  changeSecret,
  createPeople,
  issueToken,
  lockPerson,
  removePerson,
  revokeToken,
  setAdministrator,
  setMailAddress,
  unlockPerson,
} from "../../../core/people/administration";
import { byRoot, type ChangedBy } from "../../../core/people/change-people";
import {
  authenticate,
  type Credentials,
  PeopleRefusal,
  WrongSecret,
} from "../../../core/people/authenticate";
import { findTokenHolder } from "../../../core/people/token";
import { loadPeople } from "../../../core/people/people-file";
import { secretOf, writePeople } from "../../support/people-file";
import { tempFolder } from "../../support/resources";

const credentialsOf = (person: string): Credentials => ({ person, secret: secretOf(person) });
const anna = credentialsOf("anna");
const bert = credentialsOf("bert");

let made: string;
let path: string;
beforeAll(async () => {
  made = join(await tempFolder(), "people.json");
  await writePeople(made, ["anna", "bert"], ["desk"]);
});
beforeEach(async () => {
  path = join(await tempFolder(), "people.json");
  await copyFile(made, path);
});

/** Returns the names of the people file and of what is beside it, without the record of attempts. */
const filesBeside = async (): Promise<string[]> =>
  (await readdir(dirname(path))).filter((name) => !name.endsWith(".attempts"));

const accepts = (person: string, secret = secretOf(person)) =>
  authenticate(path, { person, secret }, { surface: "cli", address: "here" }).then(
    () => true,
    (error: Error) => error instanceof WrongSecret && false,
  );

test("accepts a secret only from its person", async () => {
  expect(await accepts("anna")).toBe(true);
  for (const [person, secret] of [
    ["anna", secretOf("bert")],
    ["anna", `${secretOf("anna")} `],
    ["carl", secretOf("carl")],
    ["desk", ""],
    ["constructor", ""],
    ["__proto__", ""],
  ] as const)
    expect(await accepts(person, secret)).toBe(false);
});

const another = "quite another secret";
const newcomer = (by: Credentials) => addPerson(path, "carl", secretOf("carl"), by);
const changes: readonly [string, boolean, (by: Credentials) => Promise<unknown>][] = [
  ["add a person", false, newcomer],
  ["replace the secret of bert", true, (by) => changeSecret(path, "bert", another, by)],
  ["remove bert", false, (by) => removePerson(path, "bert", by)],
  ["lock bert", true, (by) => lockPerson(path, "bert", by)],
  ["unlock bert", false, (by) => unlockPerson(path, "bert", by)],
  ["set the address of bert", true, (by) => setMailAddress(path, "bert", "bert@example.com", by)],
  ["create a token of bert", true, (by) => issueToken(path, "bert", by)],
  ["make bert an administrator", false, (by) => setAdministrator(path, "bert", true, by)],
];
test.each(changes)(
  "%s: an administrator, or only where it is their own that person",
  async (_, isOwn, change) => {
    const before = await readFile(path, "utf8");
    await expect(change({ person: "anna", secret: "a wrong secret" })).rejects.toThrow(WrongSecret);
    if (isOwn) await change(bert);
    else await expect(change(bert)).rejects.toThrow(PeopleRefusal);
    if (!isOwn) expect(await readFile(path, "utf8")).toBe(before);
    await copyFile(made, path);
    await change(anna);
    expect((await loadPeople(path)).log.at(-1)).toMatchObject({ by: "anna" });
  },
);

test("a person who administers nothing cannot change the secret of another", async () => {
  await expect(changeSecret(path, "anna", another, bert)).rejects.toThrow(PeopleRefusal);
  await expect(createPeople(path, "mallory", secretOf("mallory"))).rejects.toThrow(PeopleRefusal);
  expect(await accepts("anna")).toBe(true);
});

test("only root resets a secret, only while one person has one, and the file records it", async () => {
  const asUser = (uid: number) => jest.spyOn(process, "geteuid").mockReturnValue(uid);
  const reset = (by: ChangedBy = byRoot) => changeSecret(path, "anna", another, by);
  asUser(0);
  await expect(reset()).rejects.toThrow(PeopleRefusal);
  await removePerson(path, "bert", anna);
  asUser(1_000);
  await expect(reset()).rejects.toThrow(PeopleRefusal);
  expect(await accepts("anna")).toBe(true);
  asUser(0);
  await reset();
  expect([await accepts("anna"), await accepts("anna", another)]).toEqual([false, true]);
  expect((await loadPeople(path)).log.at(-1)).toMatchObject({ change: "secret reset", person: "anna" });
});

test("a locked person is unknown until unlocked, and the last administrator stays", async () => {
  const { token } = await issueToken(path, "bert", bert);
  const holder = async () => findTokenHolder(await loadPeople(path), token);
  expect(await holder()).toBe("bert");
  await lockPerson(path, "bert", anna);
  expect([await accepts("bert"), await holder()]).toEqual([false, undefined]);
  await unlockPerson(path, "bert", anna);
  expect([await accepts("bert"), await holder()]).toEqual([true, "bert"]);
  for (const end of [
    () => lockPerson(path, "anna", anna),
    () => removePerson(path, "anna", anna),
    () => setAdministrator(path, "anna", false, anna),
  ])
    await expect(end()).rejects.toThrow(PeopleRefusal);
  await setAdministrator(path, "bert", true, anna);
  await removePerson(path, "anna", bert);
  expect((await loadPeople(path)).administrators).toEqual(["bert"]);
});

test.each([
  "",
  "__proto__",
  "anna\u202e",
  "a\u200bnna",
  "an\u00adna",
  "\u115fanna",
  "\u3164",
  "Anna",
  "\u0430nna",
  "bеrt",
  "de5k/..",
  "e\u0301rik",
  "a".repeat(65),
])("refuses the name %j", async (name) => {
  await expect(addPerson(path, name, undefined, anna)).rejects.toThrow(PeopleRefusal);
  expect(await filesBeside()).toEqual(["people.json"]);
});

test.each([
  "short",
  "elevenchars",
  "aaaaaaaaaaaa",
  "abababababab",
  "1231231231234",
  "123456789012",
  "210987654321",
  "abcdefghijklm",
  "annaannaanna",
  "anna anna anna 1",
  "passwordpassword",
  "Password 1234",
  "qwertyuiop12",
])("refuses the secret %j", async (secret) => {
  await expect(changeSecret(path, "anna", secret, anna)).rejects.toThrow(TypeError);
  expect(await accepts("anna")).toBe(true);
});

test("keeps all changes that are made side by side, and leaves nothing beside the file", async () => {
  const names = ["carl", "dora", "erik", "fred"];
  await Promise.all([
    ...names.map((name) => addPerson(path, name, undefined, anna)),
    issueToken(path, "bert", bert),
    setMailAddress(path, "bert", "bert@example.com", bert),
  ]);
  const { people } = await loadPeople(path);
  expect(Object.keys(people).toSorted()).toEqual(["anna", "bert", "desk", ...names].toSorted());
  expect(people.bert).toMatchObject({ token: expect.any(String), address: "bert@example.com" });
  await revokeToken(path, "bert", bert);
  expect(await filesBeside()).toEqual(["people.json"]);
});

test("takes over the lock of a process that died", async () => {
  const lock = `${path}.lock`;
  await writeFile(lock, JSON.stringify({ pid: 2 ** 22 - 1, host: hostname() }));
  await utimes(lock, 0, 0);
  await setMailAddress(path, "bert", "bert@example.com", bert);
  expect(await filesBeside()).toEqual(["people.json"]);
});

test("a symbolic link to the file stays a link", async () => {
  const link = join(dirname(path), "link.json");
  await symlink(path, link);
  await addPerson(link, "carl", undefined, anna);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(Object.keys((await loadPeople(path)).people)).toContain("carl");
});

test.each([
  [{ colour: "red" }, "people: FILE is invalid: colour is not a field of a people file."],
  [{ people: { anna: { epoch: "short" } } }, "people.anna.epoch must be 16 random characters"],
  [
    { people: { anna: { epoch: "0123456789abcdef", x: 1 } } },
    "people.anna.x is not a field of a people file",
  ],
  [{ administrators: undefined }, "administrators is missing"],
  [{ pending: [{}] }, "pending.0.id is missing"],
  [{ key: 7 }, "key must be of type string"],
  [{ people: { "a b": { epoch: "0123456789abcdef" } } }, "people.a b must be a name of letters"],
  [{ policy: { hash: "x", administration: {} } }, "policy.hash must be a SHA-256 hash"],
])("names the field of a fault: %j", async (more, message) => {
  await writeFile(path, JSON.stringify({ ...(await loadPeople(path)), ...more }));
  await expect(loadPeople(path)).rejects.toThrow(message.replace("FILE", path));
});

test.each([
  ["an earlier version", '{"key":"","secrets":{}}', "another version of fxdesk"],
  ["no object", "null", "another version of fxdesk"],
  ["no JSON", "{", "is not JSON"],
])("refuses %s", async (_, content, message) => {
  await writeFile(path, content);
  await expect(loadPeople(path)).rejects.toThrow(message);
});
