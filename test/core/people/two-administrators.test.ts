/** Changes that two administrators must agree to, and the policy that they approve. */
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import {
  addPerson,
  approvePolicy,
  changeSecret,
  issueToken,
  lockPerson,
  removePasskeys,
  removePerson,
  removeTotp,
  revokeToken,
  setAdministrator,
  setMailAddress,
  setTotp,
  unlockPerson,
} from "../../../core/people/administration";
import { type Credentials, PeopleRefusal } from "../../../core/people/authenticate";
import { byRoot, confirmChange, discardChange, type PeopleChange } from "../../../core/people/change-people";
import { issueServiceKey, revokeServiceKey } from "../../../core/people/issue-service-key";
import { loadPeople } from "../../../core/people/people-file";
import { createTotpSeed, totpCode } from "../../../core/people/totp";
import { findTokenHolder } from "../../../core/people/token";
import { secretOf, writePeople } from "../../support/people-file";
import { tempFolder } from "../../support/resources";

const credentialsOf = (person: string): Credentials => ({ person, secret: secretOf(person) });
const [anna, bert, carl, dora] = ["anna", "bert", "carl", "dora"].map(credentialsOf) as [
  Credentials,
  Credentials,
  Credentials,
  Credentials,
];
const policyOf = (hash: string, people = 2, policy = 2) => ({
  hash: hash.repeat(64),
  administration: { people, policy },
});

let made: string;
let path: string;
/** Anna and bert administer, carl and dora do not; the approved policy asks for two. */
beforeAll(async () => {
  made = join(await tempFolder(), "people.json");
  await writePeople(made, ["anna", "bert", "carl", "dora"], ["desk"]);
  await setAdministrator(made, "bert", true, anna);
  const { pending } = await approvePolicy(made, policyOf("a"), anna);
  await confirmChange(made, pending!.id, bert);
});
beforeEach(async () => {
  path = join(await tempFolder(), "people.json");
  await copyFile(made, path);
});
afterEach(() => jest.restoreAllMocks());

const load = () => loadPeople(path);
/** Makes a change that waits, and returns its ID. */
const request = async (change: Promise<PeopleChange>): Promise<string> => (await change).pending!.id;

const another = "quite another secret";
const changes: readonly [string, (by: Credentials) => Promise<PeopleChange>][] = [
  ["add a person", (by) => addPerson(path, "erik", secretOf("erik"), by)],
  ["add a person named like a method", (by) => addPerson(path, "constructor", undefined, by)],
  ["replace the secret of another", (by) => changeSecret(path, "carl", another, by)],
  ["remove a person", (by) => removePerson(path, "carl", by)],
  ["unlock a person", (by) => unlockPerson(path, "carl", by)],
  ["set the address of another", (by) => setMailAddress(path, "carl", "carl@example.com", by)],
  ["create a token of another", (by) => issueToken(path, "desk", by)],
  ["issue a service key", (by) => issueServiceKey(path, "payroll", {}, by)],
  ["make an administrator", (by) => setAdministrator(path, "carl", true, by)],
  ["remove one's own codes", (by) => removeTotp(path, by.person, by)],
  ["remove the passkeys of another", (by) => removePasskeys(path, "carl", by)],
  ["approve another policy", (by) => approvePolicy(path, policyOf("b"), by)],
];
test.each(changes)("%s: waits until another administrator confirms it, once", async (_, change) => {
  const before = await load();
  const { pending } = await change(anna);
  const { id } = pending!;
  const waiting = await load();
  expect({ ...waiting, pending: [], log: [] }).toEqual({ ...before, pending: [], log: [] });
  expect(waiting.pending).toEqual([pending]);
  for (const by of [anna, carl, { ...bert, secret: "a wrong secret" }])
    await expect(confirmChange(path, id, by)).rejects.toThrow(PeopleRefusal);
  expect(await load()).toEqual(waiting);

  const confirmations = [confirmChange(path, id, bert), confirmChange(path, id, bert)];
  const results = await Promise.allSettled(confirmations);
  expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  const after = await load();
  expect(after.log.at(-1)).toMatchObject({ change: pending!.change, by: "anna", confirmedBy: "bert" });
  expect(after.log.length).toBe(before.log.length + 2);
  expect(after.pending).toEqual([]);

  // With one administrator, the same change has the same effect.
  await copyFile(made, path);
  await request(approvePolicy(path, policyOf("a", 1, 1), anna)).then((each) =>
    confirmChange(path, each, bert),
  );
  expect(await change(anna)).not.toHaveProperty("pending");
  const shape = ({ people, administrators, keys }: typeof after) => [
    Object.keys(keys),
    ...Object.entries(people).map(([name, { lockedSince, address, ...rest }]) => [
      name,
      address,
      lockedSince,
      Object.keys(rest).toSorted(),
      administrators.includes(name),
    ]),
  ];
  expect(shape(await load())).toEqual(shape(after));
});

test("people change what is their own, and one administrator ends access, without a second", async () => {
  const { token, pending } = await issueToken(path, "desk", anna);
  await confirmChange(path, pending!.id, bert);
  await confirmChange(path, await request(issueServiceKey(path, "payroll", {}, bert)), anna);
  expect(findTokenHolder(await load(), token)).toBe("desk");
  const seed = createTotpSeed();
  const alone = [
    await changeSecret(path, "carl", another, carl),
    await setMailAddress(path, "dora", "dora@example.com", dora),
    await setTotp(path, "dora", { seed, code: totpCode(seed, Math.floor(Date.now() / 30_000)) }, dora),
    await revokeToken(path, "desk", anna),
    await revokeServiceKey(path, "payroll", anna),
    await lockPerson(path, "carl", anna),
    await lockPerson(path, "bert", anna),
  ];
  expect(alone.filter((change) => change.pending)).toEqual([]);
  expect(findTokenHolder(await load(), token)).toBeUndefined();
});

test("a change is not confirmed after its end, or after it was discarded", async () => {
  const ids = [];
  for (const name of ["erik", "fred", "gina"])
    ids.push(await request(addPerson(path, name, undefined, anna)));
  await expect(discardChange(path, ids[0]!, carl)).rejects.toThrow(PeopleRefusal);
  await discardChange(path, ids[0]!, anna);
  await expect(confirmChange(path, ids[0]!, bert)).rejects.toThrow(PeopleRefusal);
  await confirmChange(path, ids[1]!, bert);
  const { until } = (await load()).pending[0]!;
  jest.spyOn(Date, "now").mockReturnValue(Date.parse(until));
  await expect(confirmChange(path, ids[2]!, bert)).rejects.toThrow(PeopleRefusal);
  await setMailAddress(path, "anna", "anna@example.com", anna);
  const { people, pending, log } = await load();
  expect([Object.keys(people).includes("fred"), people.erik, people.gina, pending]).toEqual([
    true,
    undefined,
    undefined,
    [],
  ]);
  expect(log.map(({ change }) => change)).toContain(`added: ${ids[0]} discarded`);
});

/** What happens between a request of anna and its confirmation, and whether it may still be confirmed. */
const meanwhile: readonly [string, boolean, () => Promise<unknown>][] = [
  ["nothing", true, async () => undefined],
  ["carl sets an address", true, () => setMailAddress(path, "carl", "carl@example.com", carl)],
  ["carl replaces his secret", false, () => changeSecret(path, "carl", another, carl)],
  ["carl is locked", false, () => lockPerson(path, "carl", bert)],
  ["the requester gets another secret", false, () => changeSecret(path, "anna", another, anna)],
  ["the requester locks herself", false, () => lockPerson(path, "anna", anna)],
];
test.each(meanwhile)("a removal of carl, if %s: may be confirmed is %s", async (_, isConfirmed, happen) => {
  const id = await request(removePerson(path, "carl", anna));
  await happen();
  const confirmed = await confirmChange(path, id, bert).then(
    () => true,
    (error: Error) => error instanceof PeopleRefusal && false,
  );
  expect([confirmed, (await load()).people.carl === undefined]).toEqual([isConfirmed, isConfirmed]);
});

test("two lists of administrators that were requested side by side do not replace each other", async () => {
  const ids = [
    await request(setAdministrator(path, "carl", true, anna)),
    await request(setAdministrator(path, "dora", true, anna)),
  ];
  await confirmChange(path, ids[0]!, bert);
  await expect(confirmChange(path, ids[1]!, bert)).rejects.toThrow(PeopleRefusal);
  expect((await load()).administrators).toEqual(["anna", "bert", "carl"]);
});

test("two administrators stay, and root confirms only while a single one is left", async () => {
  for (const end of [
    () => removePerson(path, "bert", anna),
    () => setAdministrator(path, "bert", false, anna),
  ])
    await expect(end()).rejects.toThrow(PeopleRefusal);
  const id = await request(unlockPerson(path, "carl", anna));
  const asUser = (uid: number) => jest.spyOn(process, "geteuid").mockReturnValue(uid);
  asUser(0);
  await expect(confirmChange(path, id, byRoot)).rejects.toThrow(PeopleRefusal);
  await lockPerson(path, "bert", anna);
  await expect(lockPerson(path, "anna", anna)).rejects.toThrow(PeopleRefusal);
  asUser(1_000);
  await expect(confirmChange(path, id, byRoot)).rejects.toThrow(PeopleRefusal);
  asUser(0);
  await confirmChange(path, id, byRoot);
  await confirmChange(path, await request(unlockPerson(path, "bert", anna)), byRoot);
  expect((await load()).log.at(-1)).toMatchObject({ change: "unlocked", person: "bert", by: "anna" });
});

test("a policy that asks for two needs two administrators, and the first one as well", async () => {
  path = join(await tempFolder(), "people.json");
  await writePeople(path, ["anna", "bert"]);
  await expect(approvePolicy(path, policyOf("a"), anna)).rejects.toThrow(PeopleRefusal);
  await setAdministrator(path, "bert", true, anna);
  expect((await approvePolicy(path, policyOf("a"), anna)).pending).toBeDefined();
  expect((await approvePolicy(path, policyOf("b", 2, 1), anna)).pending).toBeUndefined();
  expect((await approvePolicy(path, policyOf("a"), anna)).pending).toBeUndefined();
  // The approved policy decides, not the next one.
  expect((await approvePolicy(path, policyOf("c", 1, 1), anna)).pending).toBeDefined();
  expect((await load()).policy).toEqual(policyOf("a"));
});
