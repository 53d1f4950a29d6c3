/** Tests fxdesk releases. */
import { readFile } from "node:fs/promises";
import { environmentName } from "@fxdesk/toolkit";
import { findTokenHolder, loadPeople } from "../../core/releases/people";
import {
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
} from "../core/releases/release-fixture";
import { eventually } from "../support/eventually";
import { runFxdesk, type Variables } from "./run-command";

let place: ReleaseFixture;
let variables: Variables;
beforeAll(async () => {
  place = await createReleaseFixture();
  const settings = {
    store: place.store.location,
    storeKey: place.store.key!.toString("base64"),
    policy: place.policyPath,
    people: place.peoplePath,
  };
  variables = Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [environmentName(name), value]),
  );
});
afterAll(() => place.close());

const releases = (args: readonly string[], input = "") =>
  runFxdesk(["releases", ...args], { variables, input });

test("shows a request, releases it with a secret, and it is booked", async () => {
  const client = place.client();
  const { release: id } = await client.orders.order(sampleOrder({ reference: "CLI-1" }));
  const listed = await releases(["list", "--state", "waiting", "--json"]);
  expect(JSON.parse(listed.stdout)).toMatchObject([{ release: id, state: "waiting", asked_by: "desk" }]);
  const { stdout } = await releases(["show", id]);
  for (const word of ["EURUSD", "worst_rate", "desk", "release by anna or bert", "CLI-1"])
    expect(stdout).toContain(word);

  const wrong = await releases(["release", id, "--as", "anna"], "a guess that is wrong\n");
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toContain("The secret of anna is wrong. No decision was recorded.");
  const none = await releases(["release", id, "--as", "anna"]);
  expect(none).toMatchObject({ code: 2 });
  const carl = await releases(["release", id, "--as", "carl"], `${secretOf("carl")}\n`);
  expect(carl.stderr).toContain("carl cannot release it");

  const right = await releases(["release", id, "--as", "anna"], `${secretOf("anna")}\n`);
  expect(right).toMatchObject({ code: 0, stdout: `${id} is released.\n` });
  expect(right.stdout + right.stderr).not.toContain(secretOf("anna"));
  await eventually(async () => (await client.orders.get(id)).deviations, {
    withinMs: 15_000,
    what: "the trade",
  });
  expect(JSON.parse((await releases(["show", id, "--json"])).stdout)).toMatchObject({
    state: "booked",
    deviations: [],
    decisions: [{ person: "anna", decision: "release" }],
  });
});

test("refuses with a note, cancels, and reports a missing release", async () => {
  const client = place.client();
  const [one, two] = [await client.orders.order(sampleOrder()), await client.orders.order(sampleOrder())];
  const refused = await releases(
    ["refuse", one.release, "--as", "bert", "--note", "not today"],
    secretOf("bert"),
  );
  expect(refused).toMatchObject({ code: 0, stdout: `${one.release} is refused.\n` });
  expect((await client.orders.get(one.release)).remark).toBe("Refused by bert: not today");
  expect(await releases(["cancel", two.release])).toMatchObject({ code: 0 });
  expect(await releases(["release", two.release, "--as", "anna"], secretOf("anna"))).toMatchObject({
    code: 2,
  });
  expect(await releases(["show", "R-NONE"])).toMatchObject({
    code: 2,
    stderr: "Release R-NONE does not exist.\n",
  });
});

test("enrols only with a long secret", async () => {
  const people = `${place.folder}/new-people.json`;
  const given = { ...variables, FXDESK_PEOPLE: people };
  const enrol = (name: string, input: string) =>
    runFxdesk(["releases", "enrol", name], { variables: given, input });
  expect(await enrol("erik", "short")).toMatchObject({ code: 2 });
  expect(await enrol("erik", "long enough by far")).toMatchObject({
    code: 0,
    stdout: `erik can now release. The hash of the secret is stored in ${people}.\n`,
  });
});

test("prints a token once, stores its hash, and revokes it", async () => {
  const people = `${place.folder}/token-people.json`;
  const token = (...args: string[]) =>
    runFxdesk(["releases", "token", "erik", ...args], { variables: { ...variables, FXDESK_PEOPLE: people } });
  const { code, stdout } = await token();
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^[\w-]{43}\n$/)]);
  expect(await readFile(people, "utf8")).not.toContain(stdout.trim());
  expect(findTokenHolder(await loadPeople(people), stdout.trim())).toBe("erik");
  expect(await token("--revoke")).toMatchObject({ code: 0, stdout: "The token of erik was deleted.\n" });
  expect(findTokenHolder(await loadPeople(people), stdout.trim())).toBeUndefined();
  expect(await token("--revoke")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("contains no token of erik"),
  });
});

test("sets and removes an e-mail address", async () => {
  const people = `${place.folder}/address-people.json`;
  const address = (...args: string[]) =>
    runFxdesk(["releases", "address", "erik", ...args], {
      variables: { ...variables, FXDESK_PEOPLE: people },
    });
  expect(await address("--mail", "erik")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('must be a mail address, for example anna@example.com, not "erik"'),
  });
  expect(await address("--mail", "erik@example.com")).toMatchObject({ code: 0 });
  expect((await loadPeople(people)).addresses).toEqual({ erik: "erik@example.com" });
  expect(await address("--remove")).toMatchObject({ code: 0 });
  expect((await loadPeople(people)).addresses).toEqual({});
  expect(await address()).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--mail <address> is required"),
  });
});

test.each([
  [
    { FXDESK_MAIL_SERVER: "smtps://mail.example.com" },
    "FXDESK_MAIL_SERVER and FXDESK_MAIL_FROM must be set together",
  ],
  [
    { FXDESK_MAIL_SERVER: "mail.example.com", FXDESK_MAIL_FROM: "fxdesk@example.com" },
    "FXDESK_MAIL_SERVER must be the URL of a mail server",
  ],
])("does not serve the page with %j", async (mail, message) => {
  const given = { variables: { ...variables, ...mail } };
  const { code, stderr } = await runFxdesk(["releases", "serve", "--port", "0"], given);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  [[], "Name a command: fxdesk releases list"],
  [["sell"], 'There is no command "sell"'],
  [["release"], "<id> is missing"],
  [["release", "R-1"], "--as <name> is required"],
])("%j says what is missing", async (args, message) => {
  const { code, stderr } = await releases(args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
