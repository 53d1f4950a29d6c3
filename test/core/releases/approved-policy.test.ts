/** The policy that administrators approved in the people file: every other one stops money and decisions. */
import { chmod, readFile, writeFile } from "node:fs/promises";
import { approvePolicy } from "../../../core/people/administration";
import { localOrigin } from "../../../core/people/attempts";
import { loadPolicy } from "../../../core/releases/policy";
import { sampleInput } from "../../support/samples";
import { administrator, createReleaseFixture, defaultPolicy, secretOf } from "./release-fixture";

const { rules: _, ...withoutRules } = defaultPolicy;

async function createApproved(policy = defaultPolicy) {
  const place = await createReleaseFixture({ policy });
  const approve = async () => {
    const { hash, administration } = await loadPolicy(place.policyPath, place.files.service, undefined);
    return approvePolicy(place.peoplePath, { hash: hash!, administration }, administrator);
  };
  await approve();
  const client = place.client();
  type Payment = Parameters<typeof client.payments.initiate>[0];
  const payment = (await sampleInput("payments.initiate", client)) as unknown as Payment;
  const pay = (key: string) => client.payments.initiate(payment, { key });
  const errorOf = (call: Promise<unknown>) => call.then(String, (error: object) => error);
  return { ...place, approve, payment, pay, errorOf };
}

const refused = { code: "release_refused", outcome: "not-sent" };

test("a changed policy stops calls and decisions until it is approved", async () => {
  const { pay, errorOf, setPolicy, approve, service, files } = await createApproved();
  const waiting = await errorOf(pay("one"));
  expect(waiting).toMatchObject({ code: "release_needed" });
  await setPolicy(withoutRules);
  expect(await errorOf(pay("one"))).toMatchObject({
    ...refused,
    message: expect.stringContaining("fxdesk people approve-policy"),
  });
  const { release: id } = waiting as { release: string };
  const { hash: seal } = (await service.get(id)).release;
  const decide = (given = files) =>
    service.decide(
      id,
      given,
      { person: "bert", secret: secretOf("bert"), decision: "release", seal },
      localOrigin("cli"),
    );
  await expect(decide()).rejects.toThrow(/^policy: .* is not the approved policy/);
  await setPolicy(defaultPolicy);
  await expect(decide({ ...files, policy: undefined })).rejects.toThrow(
    /^policy: .* FXDESK_POLICY is not set/,
  );
  expect(await decide()).toMatchObject({ state: "released" });
  await setPolicy(withoutRules);
  await approve();
  expect(await pay("two")).toHaveProperty("paymentId");
});

test("a policy that is replaced after the release is not used by the process that sends", async () => {
  const { pay, errorOf, setPolicy, decide, service } = await createApproved();
  const { release: id } = (await errorOf(pay("one"))) as { release: string };
  await setPolicy({ ...defaultPolicy, yesLastsMinutes: 30 });
  await decide(id, "bert");
  expect(await errorOf(pay("one"))).toMatchObject(refused);
  expect((await service.get(id)).release.state).toBe("released");
});

test("once a policy is approved, a process without one sends nothing", async () => {
  const { client, errorOf, payment } = await createApproved(withoutRules);
  const unprotected = client({ policy: undefined });
  expect(await errorOf(unprotected.payments.initiate(payment))).toMatchObject(refused);
  const asked = client({ policy: undefined, as: "bert" }).payments;
  expect(await errorOf(asked.initiate(payment, { release: "needed" }))).toMatchObject(refused);
});

test("a people file that is invalid or that others can read stops money, also where no release is needed", async () => {
  const { pay, errorOf, peoplePath } = await createApproved(withoutRules);
  const content = await readFile(peoplePath, "utf8");
  await writeFile(peoplePath, content.slice(0, -10));
  expect(await errorOf(pay("one"))).toMatchObject(refused);
  await writeFile(peoplePath, content);
  await chmod(peoplePath, 0o644);
  expect(await errorOf(pay("one"))).toMatchObject(refused);
  await chmod(peoplePath, 0o600);
  expect(await pay("one")).toHaveProperty("paymentId");
});
