/** Tests fxdesk people, and what its changes end elsewhere. */
import { copyFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadPeople, updatePeople } from "../../core/people/people-file";
import { findTokenHolder } from "../../core/people/token";
import { startMailServerStub } from "../core/releases/mail-server-stub";
import { createReleaseFixture, type ReleaseFixture, secretOf } from "../core/releases/release-fixture";
import { tempFolder } from "../support/resources";
import { sampleInput } from "../support/samples";
import { failure, runFxdesk, storeVariables } from "./run-command";

let place: ReleaseFixture;
let path: string;
beforeAll(async () => (place = await createReleaseFixture()));
beforeEach(async () => {
  path = join(await tempFolder(), "people.json");
  await copyFile(place.peoplePath, path);
});

const run = (args: readonly string[], lines: readonly string[] = [], more = {}) =>
  runFxdesk(args, {
    variables: {
      ...storeVariables(place.store.location, place.store.key),
      FXDESK_POLICY: place.policyPath,
      FXDESK_PEOPLE: path,
      ...more,
    },
    input: lines.map((line) => `${line}\n`).join(""),
  });
const people = (args: readonly string[], ...lines: string[]) => run(["people", ...args], lines);

test("the first person creates the file and administers it", async () => {
  path = join(await tempFolder(), "new.json");
  expect(await people(["add", "erik"], "short")).toMatchObject({ code: 2 });
  expect(await people(["add", "erik"], "long enough by far")).toMatchObject({ code: 0 });
  expect(await people(["add", "fred"], "another long one")).toMatchObject({ code: 2 });
  expect(
    await people(["add", "fred", "--by", "erik"], "long enough by far", "another long one"),
  ).toMatchObject({
    code: 0,
  });
  expect(JSON.parse((await people(["list", "--json"])).stdout)).toMatchObject([
    { name: "erik", can_release: true, administrator: true },
    { name: "fred", can_release: true, administrator: false },
  ]);
});

test("fxdesk releases changes no people", async () => {
  for (const word of ["enrol", "token", "address", "add", "secret"])
    expect(await run(["releases", word, "anna"], ["a long enough secret"])).toMatchObject({ code: 2 });
});

test("a secret is replaced with the old one or by a second administrator, with a mail to the old address", async () => {
  const taken = "a secret that mallory chose";
  expect(await people(["secret", "anna"], "a guess that is wrong", taken)).toEqual(
    failure(2, "The secret of anna is wrong"),
  );
  expect(await people(["secret", "anna", "--by", "bert"], secretOf("bert"), taken)).toMatchObject({
    code: 2,
  });
  expect(await people(["secret", "anna", "--reset"], taken)).toMatchObject({ code: 2 });
  expect(await people(["address", "bert", "--mail", "bert@example.com"], secretOf("bert"))).toMatchObject({
    code: 0,
  });
  const box = await startMailServerStub();
  const mail = { FXDESK_MAIL_SERVER: box.url, FXDESK_MAIL_FROM: "fxdesk@example.com" };
  const changed = run(["people", "secret", "bert", "--by", "anna"], [secretOf("anna"), taken], mail);
  expect(await changed).toMatchObject({ code: 0 });
  expect(box.to("bert@example.com")).toEqual([expect.stringContaining("secret changed by anna")]);
});

test("an administrator removes the passkeys of a person, and the list shows who has some", async () => {
  const key = { id: "AA", publicKey: "AA", counter: 0, host: "localhost", created: new Date().toISOString() };
  await updatePeople(path, (before) => ({
    ...before,
    people: { ...before.people, bert: { ...before.people.bert!, passkeys: [key] } },
  }));
  const listed = async () =>
    (JSON.parse((await people(["list", "--json"])).stdout) as { name: string; passkeys: boolean }[])
      .filter(({ passkeys }) => passkeys)
      .map(({ name }) => name);
  expect(await listed()).toEqual(["bert"]);
  const remove = ["passkey", "bert", "--remove", "--by"];
  expect(await people([...remove, "bert"], secretOf("bert"))).toMatchObject({ code: 2 });
  expect(await people(["passkey", "bert", "--by", "anna"], secretOf("anna"))).toEqual(
    failure(2, "--remove is required"),
  );
  expect(await listed()).toEqual(["bert"]);
  expect(await people([...remove, "anna"], secretOf("anna"))).toMatchObject({ code: 0 });
  expect(await listed()).toEqual([]);
});

test("prints a token once, stores its hash, and revokes it", async () => {
  const { code, stdout } = await people(["token", "bert"], secretOf("bert"));
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^[\w-]{43}\n$/)]);
  expect(await readFile(path, "utf8")).not.toContain(stdout.trim());
  const holder = async () => findTokenHolder(await loadPeople(path), stdout.trim());
  expect(await holder()).toBe("bert");
  const revoke = ["token", "bert", "--revoke", "--by", "anna"];
  expect(await people(revoke, secretOf("anna"))).toMatchObject({ code: 0 });
  expect(await holder()).toBeUndefined();
  expect(await people(revoke, secretOf("anna"))).toEqual(failure(2, "no token of bert"));
});

test("sets and removes an e-mail address", async () => {
  const address = (...flags: string[]) => people(["address", "bert", ...flags], secretOf("bert"));
  const stored = async () => (await loadPeople(path)).people.bert!.address;
  expect(await address("--mail", "bert")).toEqual(failure(2, "must be a mail address, for example anna@"));
  expect(await address("--mail", "bert@example.com")).toMatchObject({ code: 0 });
  expect(await stored()).toBe("bert@example.com");
  expect(await address("--remove")).toMatchObject({ code: 0 });
  expect(await stored()).toBeUndefined();
  expect(await address()).toEqual(failure(2, "--mail <address> is required"));
});

const ends: readonly [string, readonly string[], readonly string[]][] = [
  ["locked", ["lock", "bert", "--by", "anna"], [secretOf("anna")]],
  ["removed", ["remove", "bert", "--by", "anna"], [secretOf("anna")]],
  ["given another secret", ["secret", "bert"], [secretOf("bert"), "quite another secret"]],
];
test.each(ends)("a person who is %s takes their open decisions along", async (_, args, lines) => {
  await place.setPolicy({
    people: ["anna", "bert", "desk"],
    rules: [{ effects: ["money"], from: ["bert"] }],
  });
  const pay = async () => {
    const client = place.client({ people: path });
    const payment = await sampleInput("payments.initiate", client);
    const paid = await client.payments
      .initiate(payment as never, { key: args.join(" ") })
      .catch((error: { code: string; release?: string; outcome: string }) => error);
    // An open client would send the request as soon as it is released.
    await client.close();
    return paid;
  };
  const refusal = (await pay()) as { release: string };
  const released = await run(["releases", "release", refusal.release, "--as", "bert"], [secretOf("bert")]);
  expect(released).toMatchObject({ code: 0 });
  expect(await people(args, ...lines)).toMatchObject({ code: 0 });
  expect(await pay()).toMatchObject({ code: "release_refused", outcome: "not-sent" });
});

test("two administrators approve a policy, and then agree to changes of people", async () => {
  const [anna, bert] = [secretOf("anna"), secretOf("bert")];
  await people(["administrator", "bert", "--by", "anna"], anna);
  await place.setPolicy({
    people: ["anna", "bert", "desk"],
    rules: [{ effects: ["money"], from: ["bert"] }],
    administration: { people: 2, policy: 2 },
  });
  const approve = (by: string, secret: string) =>
    people(["approve-policy", place.policyPath, "--by", by], secret);
  /** Returns the ID in the text of a command. */
  const idIn = (text: string) => /C-[0-9A-F]+/.exec(text)![0];
  const first = await approve("anna", anna);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("fxdesk people confirm") });
  expect(await people(["confirm", idIn(first.stdout), "--by", "anna"], anna)).toMatchObject({ code: 2 });
  expect(await people(["confirm", idIn(first.stdout)], anna)).toEqual(failure(2, "--by"));
  expect(await people(["confirm", idIn(first.stdout), "--by", "bert"], bert)).toMatchObject({ code: 0 });

  const added = await people(["add", "erik", "--by", "anna"], anna, "a long enough secret");
  const unwanted = await people(["remove", "dora", "--by", "bert"], bert);
  const pending = JSON.parse((await people(["list", "--pending", "--json"])).stdout) as object[];
  expect(pending).toMatchObject([
    { id: idIn(added.stdout), change: "added", person: "erik", by: "anna" },
    { id: idIn(unwanted.stdout), change: "removed", person: "dora", by: "bert" },
  ]);
  expect((await people(["list"])).stderr).toContain("2 (--pending)");
  expect(await people(["discard", idIn(unwanted.stdout), "--by", "anna"], anna)).toMatchObject({ code: 0 });
  expect(await people(["confirm", idIn(added.stdout), "--by", "bert"], bert)).toMatchObject({ code: 0 });
  expect(Object.keys((await loadPeople(path)).people)).toEqual(expect.arrayContaining(["erik", "dora"]));

  const token = await people(["token", "dora", "--by", "anna"], anna);
  expect([token.stdout, idIn(token.stderr)]).toEqual([
    expect.stringMatching(/^[\w-]{43}\n$/),
    expect.anything(),
  ]);
  await place.setPolicy({ people: ["anna", "bert", "desk"] });
  const client = place.client({ people: path });
  const payment = await sampleInput("payments.initiate", client);
  await expect(client.payments.initiate(payment as never)).rejects.toMatchObject({ code: "release_refused" });
});
