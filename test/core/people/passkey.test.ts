/** Passkeys: who can add one, which responses count, and releases that need one. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { addPasskey, removePasskeys, setTotp } from "../../../core/people/administration";
import { authenticate, type Credentials, PeopleRefusal } from "../../../core/people/authenticate";
import { findPasskeyProblem } from "../../../core/people/passkey";
import { findPerson, loadPeople, updatePeople } from "../../../core/people/people-file";
import { createTotpSeed, totpCode } from "../../../core/people/totp";
import { ReleaseRefusal } from "../../../core/releases/release";
import { Authenticator, type Ceremony } from "../../support/authenticator";
import { secretOf, writePeople } from "../../support/people-file";
import { tempFolder } from "../../support/resources";
import { createReleaseFixture, defaultPolicy, sampleOrder } from "../releases/release-fixture";

const origin = "https://releases.example.com";
const from = { surface: "page", address: "here", isSignedIn: true };
const anna: Credentials = { person: "anna", secret: secretOf("anna") };
const bert: Credentials = { person: "bert", secret: secretOf("bert") };
const newChallenge = () => randomBytes(54).toString("base64url");

let path: string;
beforeEach(async () => {
  path = join(await tempFolder(), "people.json");
  await writePeople(path, ["anna", "bert"]);
  jest.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

const personOf = async (name: string) => findPerson(await loadPeople(path), name)!;

function add(device: Authenticator, by: Credentials, ceremony: Ceremony = { origin }) {
  const challenge = newChallenge();
  return addPasskey(path, { credential: device.create(challenge, ceremony), challenge, origin }, by, from);
}

/** Credentials with the response of a device. */
function withPasskey(by: Credentials, device: Authenticator, ceremony: Ceremony = { origin }): Credentials {
  const challenge = newChallenge();
  return { ...by, passkey: { credential: device.use(challenge, ceremony), challenge, origin } };
}
const isAccepted = (by: Credentials) =>
  authenticate(path, by, from).then(
    ({ factors }) => factors.includes("passkey"),
    (error: Error) => {
      if (error instanceof PeopleRefusal) return false;
      throw error;
    },
  );

test("a passkey counts with the secret of its person, and its counter only grows", async () => {
  const device = new Authenticator();
  await add(device, bert);
  expect((await personOf("bert")).passkeys).toMatchObject([
    { counter: 0, transports: ["usb"], host: "releases.example.com" },
  ]);
  const [first, second] = [withPasskey(bert, device), withPasskey(bert, device)];
  expect([await isAccepted(second), await isAccepted(first)]).toEqual([true, false]);
  expect((await personOf("bert")).passkeys).toMatchObject([{ counter: 2 }]);
  expect(await isAccepted({ ...withPasskey(bert, device), secret: "a wrong guess" })).toBe(false);
  expect(await isAccepted(withPasskey(anna, device))).toBe(false);
  expect(await isAccepted(withPasskey(bert, device))).toBe(true);
});

test("a device that does not count uses is accepted", async () => {
  const device = new Authenticator(false);
  await add(device, bert);
  for (const _ of [1, 2]) expect(await isAccepted(withPasskey(bert, device))).toBe(true);
});

const deviations: readonly [string, Partial<Ceremony>][] = [
  ["of a page of another origin", { origin: "https://releases.example.org" }],
  ["of another port", { origin: `${origin}:8443` }],
  ["of another host", { host: "example.com" }],
  ["without verification of the user", { isVerified: false }],
  ["of another kind", { type: "payment.get" }],
];
test.each(deviations)("a response %s is refused", async (_, deviation) => {
  const device = new Authenticator();
  await expect(add(device, bert, { origin, ...deviation })).rejects.toThrow(PeopleRefusal);
  await add(device, bert);
  expect(await isAccepted(withPasskey(bert, device, { origin, ...deviation }))).toBe(false);
  expect(await isAccepted(withPasskey(bert, device))).toBe(true);
});

test.each<[string, (response: NonNullable<Credentials["passkey"]>) => object]>([
  ["to another challenge", () => ({ challenge: newChallenge() })],
  ["to a page at another address", () => ({ origin: "https://releases.example.org" })],
  ["that is no JSON", () => ({ credential: "{" })],
  ["of nothing", () => ({ credential: "null" })],
  [
    "with another signature",
    ({ credential }) => {
      const json = JSON.parse(credential) as { response: { signature: string } };
      json.response.signature = new Authenticator()
        .use("AA", { origin })
        .split('"signature":"')[1]!
        .split('"')[0]!;
      return { credential: JSON.stringify(json) };
    },
  ],
])("a response %s is refused", async (_, change) => {
  const device = new Authenticator();
  await add(device, bert);
  const { passkey, ...others } = withPasskey(bert, device);
  const changed = { ...others, passkey: { ...passkey!, ...change(passkey!) } };
  expect([await isAccepted(changed), await isAccepted({ ...others, passkey })]).toEqual([false, true]);
});

test("responses side by side count once", async () => {
  const device = new Authenticator();
  await add(device, bert);
  const response = withPasskey(bert, device);
  const uses = await Promise.all([1, 2, 3].map(() => isAccepted(response)));
  expect(uses.filter(Boolean)).toHaveLength(1);
});

test("a stolen secret adds no second factor to a person who has one", async () => {
  const [device, other] = [new Authenticator(), new Authenticator()];
  await add(device, bert);
  const refused = (work: () => Promise<unknown>) => expect(work()).rejects.toThrow(PeopleRefusal);
  await refused(() => add(other, bert));
  const seed = createTotpSeed();
  const code = () => totpCode(seed, Math.floor(Date.now() / 30_000));
  await refused(async () => setTotp(path, "bert", { seed, code: code() }, bert));
  await refused(() => add(device, withPasskey(bert, device)));
  await add(other, withPasskey(bert, device));
  expect((await personOf("bert")).passkeys).toHaveLength(2);
  await refused(() => removePasskeys(path, "bert", bert));
  const { epoch } = await personOf("bert");
  await removePasskeys(path, "bert", anna);
  expect(await personOf("bert")).not.toMatchObject({ epoch });
  expect(await personOf("bert")).not.toHaveProperty("passkeys");
  await setTotp(path, "bert", { seed, code: code() }, bert);
  await refused(() => add(other, bert));
});

test("a locked person has no passkey", async () => {
  const device = new Authenticator();
  await add(device, bert);
  await updatePeople(path, (before) => ({
    ...before,
    people: { ...before.people, bert: { ...before.people.bert!, lockedSince: new Date().toISOString() } },
  }));
  expect(await isAccepted(withPasskey(bert, device))).toBe(false);
});

test.each([
  ["http://127.0.0.1:8082", "http://localhost:8082"],
  ["http://[::1]:8082", "http://localhost:8082"],
  ["https://10.0.0.5", "--address"],
  ["http://localhost:8082", undefined],
  ["https://releases.example.com", undefined],
])("at %s, the advice about passkeys is %s", async (address, advice) => {
  const problem = await findPasskeyProblem(address);
  if (advice === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(advice);
});

const factors = ["secret", "code", "passkey", "both"] as const;
test.each([
  ["totp", ["code", "both"]],
  ["passkey", ["passkey", "both"]],
  ["any", ["code", "passkey", "both"]],
] as const)("a policy that requires %s accepts %j", async (secondFactor, accepted) => {
  const place = await createReleaseFixture({ policy: { ...defaultPolicy, secondFactor } });
  path = place.peoplePath;
  const [device, seed] = [new Authenticator(), createTotpSeed()];
  let now = Date.now();
  jest.spyOn(Date, "now").mockImplementation(() => now);
  /** The code of the next step: each counts once. */
  const withCode = (by: Credentials): Credentials => {
    now += 30_000;
    return { ...by, code: totpCode(seed, Math.floor(now / 30_000)) };
  };
  await setTotp(path, "bert", { seed, code: withCode(bert).code! }, bert);
  await add(device, withCode(bert));
  const client = place.client();
  const release = async (factor: (typeof factors)[number]): Promise<boolean> => {
    const { release: id, seal } = await client.orders.order(sampleOrder({ worst_rate: "9" }));
    const coded = factor === "code" || factor === "both" ? withCode(bert) : bert;
    const by = factor === "passkey" || factor === "both" ? withPasskey(coded, device) : coded;
    const decided = place.service.decide(id, place.files, { ...by, decision: "release", seal }, from);
    return decided.then(
      ({ state }) => state === "released",
      (error: Error) => {
        if (error instanceof ReleaseRefusal) return false;
        throw error;
      },
    );
  };
  const results: string[] = [];
  for (const factor of factors) if (await release(factor)) results.push(factor);
  expect(results).toEqual(accepted);
});

test("without the package, the message names it", async () => {
  await jest.isolateModulesAsync(async () => {
    jest.doMock("@simplewebauthn/server", () => {
      throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
    });
    const { findPasskeyProblem: findProblem } = await import("../../../core/people/passkey.js");
    expect(await findProblem(origin)).toContain("npm install @simplewebauthn/server");
  });
});
