/** Passkeys on the releases page, with a device in software instead of a browser. */
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { serveReleases } from "../../cli/releases-page/server";
import type { PeopleChange } from "../../core/people/change-people";
import { loadPeople } from "../../core/people/people-file";
import {
  createReleaseFixture,
  defaultPolicy,
  type ReleaseFixture,
  sampleOrder,
  secretOf,
} from "../core/releases/release-fixture";
import { Authenticator } from "../support/authenticator";
import { closeLater, tempFolder } from "../support/resources";

let place: ReleaseFixture;
let url: string;
let origin: string;
let cookie: string;
let reported: PeopleChange[];
const minuteMs = 60_000;

let peoplePath: string;
beforeAll(async () => {
  place = await createReleaseFixture({ policy: { ...defaultPolicy, secondFactor: "passkey" } });
});
beforeEach(async () => {
  peoplePath = join(await tempFolder(), "people.json");
  await copyFile(place.peoplePath, peoplePath);
  jest.spyOn(console, "error").mockImplementation(() => undefined);
  reported = [];
  const { service } = place;
  const files = { ...place.files, people: peoplePath };
  const report = async (change: PeopleChange) => void reported.push(change);
  ({ url } = closeLater(await serveReleases({ service, files, report })));
  origin = url.replace("127.0.0.1", "localhost");
  cookie = "";
  const { headers } = await post("/sign-in", { name: "anna", secret: secretOf("anna") });
  cookie = String(headers["set-cookie"]).split(";")[0]!;
});
afterEach(() => jest.restoreAllMocks());

async function send(path: string, form?: Readonly<Record<string, string>>) {
  const type = form && { origin, "content-type": "application/x-www-form-urlencoded" };
  const { statusCode, headers, body } = await request(url + path, {
    method: form ? "POST" : "GET",
    headers: { host: new URL(origin).host, cookie, ...type },
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  return { status: statusCode, headers, text: await body.text() };
}
const post = (path: string, form: Readonly<Record<string, string>>) => send(path, form);

/** Returns the challenge of the form of a page, as its script reads it. */
async function challengeOf(path: string, attribute: "data-request" | "data-creation"): Promise<string> {
  const { text } = await send(path);
  const json = new RegExp(`${attribute}="([^"]+)"`).exec(text)![1]!.replaceAll("&quot;", '"');
  const { challenge } = JSON.parse(json) as { challenge: string };
  expect(text).toContain(`name="challenge" value="${challenge}"`);
  return challenge;
}

async function addPasskey(device: Authenticator) {
  const challenge = await challengeOf("/passkeys", "data-creation");
  const new_passkey = device.create(challenge, { origin });
  return post("/passkeys", { secret: secretOf("anna"), challenge, new_passkey });
}

async function createOrder() {
  const { release, seal } = await place.client().orders.order(sampleOrder({ worst_rate: "9" }));
  return { id: release, path: `/releases/${release}`, seal };
}

const isReleased = async (id: string) => (await place.service.get(id)).release.state === "released";

test("a passkey is added once per page, reported, and needed for the next one", async () => {
  const [device, other] = [new Authenticator(), new Authenticator()];
  expect((await send("/passkeys")).text).toContain("You have no passkeys yet.");
  expect(await addPasskey(device)).toMatchObject({ status: 303 });
  expect(reported).toMatchObject([{ person: "anna", change: "passkey added", by: "anna" }]);
  expect((await loadPeople(peoplePath)).people.anna!.passkeys).toMatchObject([{ host: "localhost" }]);

  const refused = { status: 409, text: expect.stringContaining("needs a code or an earlier passkey") };
  expect(await addPasskey(other)).toMatchObject(refused);
  const challenge = await challengeOf("/passkeys", "data-request");
  const form = {
    secret: secretOf("anna"),
    challenge,
    passkey: device.use(challenge, { origin }),
    new_passkey: other.create(challenge, { origin }),
  };
  expect(await post("/passkeys", form)).toMatchObject({ status: 303 });
  expect(await post("/passkeys", form)).toMatchObject({ status: 409 });

  const { id, path, seal } = await createOrder();
  const forRelease = await challengeOf(path, "data-request");
  const passkey = device.use(forRelease, { origin });
  const decision = { decision: "release", seal, secret: secretOf("anna"), challenge: forRelease, passkey };
  expect(await post(path, { ...decision, passkey: "" })).toMatchObject({ status: 409 });
  expect(await post(path, decision)).toMatchObject({ status: 303 });
  expect(await isReleased(id)).toBe(true);
});

describe("a challenge", () => {
  let device: Authenticator;
  let shown: Awaited<ReturnType<typeof createOrder>>;
  let challenge: string;
  beforeEach(async () => {
    device = new Authenticator();
    expect(await addPasskey(device)).toMatchObject({ status: 303 });
    shown = await createOrder();
    challenge = await challengeOf(shown.path, "data-request");
  });

  /** Sends the decision on a request, and returns the status. */
  const decide = async ({ path, seal } = shown, given = challenge, more = {}): Promise<number> => {
    const passkey = device.use(given, { origin });
    const form = { decision: "release", seal, secret: secretOf("anna"), challenge: given, passkey, ...more };
    return (await post(path, form)).status;
  };

  test("counts for its release only, and not for a new passkey", async () => {
    const other = await createOrder();
    expect(await decide(other)).toBe(409);
    const ofPasskeys = await challengeOf("/passkeys", "data-request");
    expect(await decide(shown, ofPasskeys)).toBe(409);
    const new_passkey = new Authenticator().create(challenge, { origin });
    const passkey = device.use(challenge, { origin });
    const form = { secret: secretOf("anna"), challenge, passkey, new_passkey };
    expect(await post("/passkeys", form)).toMatchObject({ status: 409 });
    expect([await isReleased(shown.id), await isReleased(other.id)]).toEqual([false, false]);
    expect(await decide()).toBe(303);
  });

  test("counts once, also with a wrong secret", async () => {
    expect(await decide(shown, challenge, { secret: "a guess that is wrong" })).toBe(403);
    expect(await decide()).toBe(409);
    expect(await decide(shown, await challengeOf(shown.path, "data-request"))).toBe(303);
  });

  test("expires after ten minutes", async () => {
    const now = Date.now();
    const clock = jest.spyOn(Date, "now").mockReturnValue(now + 11 * minuteMs);
    expect(await decide()).toBe(409);
    clock.mockReturnValue(now + 9 * minuteMs);
    expect(await decide()).toBe(303);
  });

  test.each<[string, (challenge: string) => string]>([
    ["that was changed", (given) => `${given.startsWith("A") ? "B" : "A"}${given.slice(1)}`],
    ["that was cut", (given) => given.slice(0, 20)],
    ["that is empty", () => ""],
    ["in another spelling", (given) => `${given}=`],
  ])("%s is refused", async (_, change) => {
    expect(await decide(shown, change(challenge))).not.toBe(303);
    expect(await isReleased(shown.id)).toBe(false);
  });

  test("of another person is refused", async () => {
    const { headers } = await post("/sign-in", { name: "bert", secret: secretOf("bert") });
    cookie = String(headers["set-cookie"]).split(";")[0]!;
    expect(await decide(shown, challenge, { secret: secretOf("bert") })).toBe(409);
    expect(await isReleased(shown.id)).toBe(false);
  });
});

test("only pages that ask for a passkey may run the script of this server", async () => {
  const script = await send("/passkey.js");
  expect(script).toMatchObject({
    status: 200,
    headers: { "content-type": "text/javascript; charset=utf-8" },
  });
  const policyOf = async (path: string) => String((await send(path)).headers["content-security-policy"]);
  expect(await policyOf("/passkeys")).toContain("default-src 'none'");
  expect(await policyOf("/passkeys")).toMatch(/; script-src 'self'$/);
  for (const path of ["/", "/sign-in", "/passkey.js", "/nothing"])
    expect(await policyOf(path)).not.toContain("script-src");
});
