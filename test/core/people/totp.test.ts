/** One-time codes: the vectors of RFC 6238, each code once, and releases that need one. */
import { join } from "node:path";
import { removeTotp, setTotp } from "../../../core/people/administration";
import { authenticate, type Credentials, PeopleRefusal } from "../../../core/people/authenticate";
import { loadPeople } from "../../../core/people/people-file";
import { createTotpSeed, findTotpStep, totpCode, totpUri } from "../../../core/people/totp";
import { loadPolicy } from "../../../core/releases/policy";
import { isApproved } from "../../../core/releases/release-guard";
import { secretOf, writePeople } from "../../support/people-file";
import { tempFolder } from "../../support/resources";
import { createReleaseFixture, defaultPolicy, sampleOrder } from "../releases/release-fixture";

/** The secret of RFC 6238, in base32, and the last six digits of its codes. */
const rfcSeed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
])("at %i seconds the code of RFC 6238 is %s", (seconds, code) => {
  const step = Math.floor(seconds / 30);
  expect(totpCode(rfcSeed, step)).toBe(code);
  const accepted = [-2, -1, 0, 1, 2].map((late) =>
    findTotpStep(rfcSeed, code, (seconds + late * 30) * 1_000, 0),
  );
  expect(accepted).toEqual([undefined, step, step, step, undefined]);
  expect(findTotpStep(rfcSeed, code, seconds * 1_000, step)).toBeUndefined();
});

test("the address for apps has person, seed and issuer", () => {
  const seed = createTotpSeed();
  expect(seed).toMatch(/^[A-Z2-7]{32}$/);
  expect(totpUri("anna@x", seed)).toBe(`otpauth://totp/fxdesk:anna%40x?secret=${seed}&issuer=fxdesk`);
});

const anna: Credentials = { person: "anna", secret: secretOf("anna") };
const bert: Credentials = { person: "bert", secret: secretOf("bert") };
const origin = { surface: "cli", address: "here" };
const start = Date.now();
const step = Math.floor(start / 30_000);
beforeEach(() => {
  jest.spyOn(Date, "now").mockReturnValue(start);
  jest.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

/** Sets up codes of bert with the code of the step before, and returns the current one. */
async function setUp(path: string): Promise<string> {
  const seed = createTotpSeed();
  await setTotp(path, "bert", { seed, code: totpCode(seed, step - 1) }, bert);
  return totpCode(seed, step);
}

test("a code counts once, also side by side, and only with the secret", async () => {
  const path = join(await tempFolder(), "people.json");
  await writePeople(path, ["anna", "bert"]);
  await expect(authenticate(path, { ...bert, code: "000000" }, origin)).rejects.toThrow(PeopleRefusal);
  await expect(
    (async () => setTotp(path, "bert", { seed: createTotpSeed(), code: "12" }, bert))(),
  ).rejects.toThrow(PeopleRefusal);
  await expect(
    (async () => setTotp(path, "bert", { seed: createTotpSeed(), code: "12" }, anna))(),
  ).rejects.toThrow(PeopleRefusal);
  const code = await setUp(path);
  await expect(setUp(path)).rejects.toThrow(PeopleRefusal);
  const wrongSecret = { person: "bert", secret: "a wrong guess", code };
  await expect(authenticate(path, wrongSecret, origin)).rejects.toThrow(PeopleRefusal);
  const uses = await Promise.allSettled([1, 2, 3].map(() => authenticate(path, { ...bert, code }, origin)));
  expect(uses.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expect(removeTotp(path, "bert", bert)).rejects.toThrow(PeopleRefusal);
  await removeTotp(path, "bert", anna);
  expect((await loadPeople(path)).people.bert!.totp).toBeUndefined();
});

describe.each([
  ["for all requests", { secondFactor: "totp" as const }],
  ["in a rule", { rules: [{ ...defaultPolicy.rules![0]!, secondFactor: "totp" as const }] }],
])("a policy that requires codes %s", (_, more) => {
  test("refuses a release without a code, takes one with it, and an earlier release is invalid", async () => {
    const place = await createReleaseFixture({ policy: { ...defaultPolicy } });
    const client = place.client();
    const code = await setUp(place.peoplePath);
    const order = async () => client.orders.order(sampleOrder({ worst_rate: "9" }));
    const [early, late] = [await order(), await order()];
    const release = ({ release: id, seal }: typeof early, given?: string) =>
      client.orders.decide(id, { ...bert, decision: "release", seal, code: given });
    expect(await release(early)).toMatchObject({ state: "released" });
    await place.setPolicy({ ...defaultPolicy, ...more });
    await expect(release(late)).rejects.toMatchObject({ code: "release_refused" });
    await expect(release(late, "000000")).rejects.toMatchObject({ code: "release_refused" });
    expect(await release(late, code)).toMatchObject({ state: "released" });
    const authority = {
      policy: await loadPolicy(place.policyPath, client.service, undefined),
      people: await loadPeople(place.peoplePath),
    };
    const isStillApproved = async ({ release: id }: typeof early) => {
      const { release: stored, decisions } = await place.service.get(id);
      return isApproved(stored, decisions, authority, start);
    };
    expect([await isStillApproved(early), await isStillApproved(late)]).toEqual([false, true]);
    const { decisions } = await place.service.get(late.release);
    expect(decisions).toMatchObject([{ person: "bert", factors: ["secret", "totp"] }]);
  });
});
