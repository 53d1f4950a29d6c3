/** Tests the approvals workflow. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Sandbox } from "@fxdesk/sandbox";
import { openSandboxAndClient } from "../support/sandboxes";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeEach(async () => {
  ({ sandbox, client } = await openSandboxAndClient({ daysBehind: 90 }));
});

type Config = Parameters<FxdeskClient["approvalsWorkflow"]["replaceConfig"]>[0];

const one = (group: string, approvals = 1) => [[{ group, approvals }]];
const band = (min_amount: number, max_amount: number | null, combinations = one("A")) => ({
  min_amount,
  max_amount,
  currency: "EUR",
  combinations,
});
const groups = [{ name: "A", members: ["contact-demo", "contact-approver"] }];
const config: Config = { groups, rules: [band(0, 500), band(500, null, one("A", 2))] };

const replace = (input: Config, contactId = "contact-demo") =>
  client.approvalsWorkflow.replaceConfig(input, { contactId });

test("replaces the configuration", async () => {
  expect(await replace(config)).toEqual({ ...config, status: "active" });
  expect(await client.approvalsWorkflow.getConfig()).toEqual({ ...config, status: "active" });
});

test.each<[string, Partial<Config>]>([
  ["a gap between the bands", { rules: [band(0, 500), band(600, null)] }],
  ["bands that overlap", { rules: [band(0, 500), band(400, null)] }],
  ["bands that do not start at zero", { rules: [band(1, null)] }],
  ["a highest band with a maximum", { rules: [band(0, 500)] }],
  ["no bands", { rules: [] }],
  ["another currency", { rules: [{ ...band(0, null), currency: "USD" }] }],
  ["a group that is not A, B or C", { groups: [...groups, { name: "D", members: [] }] }],
  ["a duplicate group", { groups: [...groups, ...groups] }],
  ["an unknown member", { groups: [{ name: "A", members: ["nobody"] }] }],
  ["a member of another company", { groups: [{ name: "A", members: ["contact-other"] }] }],
  ["more approvals than members", { rules: [band(0, null, one("A", 3))] }],
  ["approvals by an unknown group", { rules: [band(0, null, one("B"))] }],
  ["a band without combinations", { rules: [band(0, null, [])] }],
])("refuses %s and changes nothing", async (_case, change) => {
  const before = await client.approvalsWorkflow.getConfig();
  await expect(replace({ ...config, ...change })).rejects.toMatchObject({ status: 400 });
  expect(await client.approvalsWorkflow.getConfig()).toEqual(before);
});

const alone = { name: "B", members: ["contact-demo"] };
const signature = (group: string) => ({ group, approvals: 1 });
const blocked = [{ name: "A", members: ["contact-demo", "contact-blocked"] }];

test.each<[string, Partial<Config>, string]>([
  [
    "the same group twice, of one member",
    { groups: [...groups, alone], rules: [band(0, null, [[signature("B"), signature("B")]])] },
    "rules.0.combinations.0 requires 2 approvals, but its groups have too few",
  ],
  [
    "two groups of the same member",
    {
      groups: [{ name: "A", members: ["contact-demo"] }, alone],
      rules: [band(0, null, [[signature("A"), signature("B")]])],
    },
    "rules.0.combinations.0 requires 2 approvals, but its groups have too few",
  ],
  [
    "a second combination that cannot be satisfied",
    { rules: [band(0, null, [...one("A", 2), ...one("A", 3)])] },
    "rules.0.combinations.1 requires 3 approvals, but its groups have too few",
  ],
  [
    "a blocked member",
    { groups: blocked, rules: [band(0, null)] },
    "groups.0.members: contact-blocked is not a contact who may act",
  ],
  [
    "an empty band",
    { rules: [band(0, 500), band(500, 500), band(500, null)] },
    "rules.1.max_amount must be more than min_amount",
  ],
])("names the violation: %s", async (_case, change, message) => {
  await expect(replace({ ...config, ...change })).rejects.toMatchObject({ status: 400 });
  expect(sandbox.requests.at(-1)!.refusal).toContain(message);
});

test("allows groups to share members if others remain", async () => {
  const rules = [band(0, null, [[signature("A"), signature("B")]])];
  expect(await replace({ groups: [...groups, alone], rules })).toMatchObject({ status: "active" });
});

test("requires the second of two administrators to confirm a change", async () => {
  expect(await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: true })).toEqual(
    await client.approvalsWorkflow.getSettings(),
  );
  const before = await client.approvalsWorkflow.getConfig();
  expect(await replace(config)).toMatchObject({ status: "pending_approval" });
  expect(await client.approvalsWorkflow.getConfig()).toEqual(before);
  const pending = { status: 409, service: { code: "approvals_update_pending" } };
  await expect(replace(config)).rejects.toMatchObject(pending);
  await expect(replace({ groups, rules: [band(0, null)] }, "contact-second-admin")).rejects.toMatchObject(
    pending,
  );
  expect(await replace(config, "contact-second-admin")).toMatchObject({ status: "active" });
  expect(await client.approvalsWorkflow.getConfig()).toMatchObject(config);
});

/** An empty header is not sent; the token identifies the contact. */
const unnamed = "";

test.each([
  ["unnamed, then named", unnamed, "contact-demo"],
  ["named, then unnamed", "contact-demo", unnamed],
  ["unnamed twice", unnamed, unnamed],
])("refuses to let a person confirm their own change: %s", async (_how, first, second) => {
  await client.approvalsWorkflow.updateSettings({ enabled: true, dual_admin: true });
  expect(await replace(config, first)).toMatchObject({ status: "pending_approval" });
  await expect(replace(config, second)).rejects.toMatchObject({ status: 409 });
  expect(await replace(config, "contact-second-admin")).toMatchObject({ status: "active" });
});
