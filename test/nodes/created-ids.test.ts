/** Offering created resources in the forms of other nodes, through the editor route of a real Node-RED. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { createConsent, deleteConsent, getConsent } from "../../core/contract/consents";
import { getPaymentStatus, initiatePayment } from "../../core/contract/payments";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import type { Declaration } from "../../core/spec/operation";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { createListFinder, type PickerOption } from "../../nodes/editor/field-lists";
import { eventually } from "../support/eventually";
import { consentInput, sampleInput, sandboxClient } from "../support/samples";
import {
  catchNode,
  connectionConfig,
  debugNode,
  injectNode,
  operationNode,
  tab,
  typed,
} from "./support/flows";
import { NodeRed } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;

beforeAll(async () => {
  sandbox = await startSandbox();
  nodeRed = await NodeRed.start();
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await sandbox.close();
});

/** A message with the input goes through a node of the operation; returns what comes out. */
async function runNode(operation: Declaration, input: object, properties: object = {}): Promise<any> {
  await nodeRed.deploy([
    tab,
    connectionConfig(sandbox),
    injectNode("start", ["node"], input),
    operationNode(operation, "node", ["end"], { fromPayload: true, ...properties }),
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);
  await nodeRed.inject("start");
  const msg = (await nodeRed.nextDebugValues("end"))[0] as { payload: unknown; error?: unknown };
  expect(msg.error).toBeUndefined();
  return msg.payload;
}

function connectionForm(): object {
  const { id, type: _type, name: _name, credentials: _credentials, ...values } = connectionConfig(sandbox);
  return { id, values: { ...values, accessToken: "__PWRD__", apiKey: "__PWRD__" } };
}

const requestList = (body: object, headers: Record<string, string> = {}) =>
  nodeRed.request("/fxdesk/connection/list", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ ...connectionForm(), ...body }),
  });

/** The list that fills a field of a form. */
function listFor(operation: Declaration, field: string): object {
  const described = callerFieldDocs(describeOperation(operation)).find(({ name }) => name === field)!;
  return createListFinder(fxdeskService)(operation, described)!;
}

async function requestOptions(operation: Declaration, field: string): Promise<readonly PickerOption[]> {
  const response = await requestList(listFor(operation, field));
  expect(response.status).toBe(200);
  return ((await response.json()) as { entries: PickerOption[] }).entries;
}

const createdAtPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ/.source;
const waitOptions = { withinMs: 20_000, what: "the change in what is offered" };

test("offers a created consent until it is deleted", async () => {
  const consents = () => requestOptions(getConsent, "consent-id");
  const find = async (id: string) => (await consents()).find(({ value }) => value === id);
  const { consentId } = await runNode(createConsent, consentInput);
  const found = await eventually(() => find(consentId), waitOptions);
  expect(found.title).toMatch(new RegExp(`${createdAtPattern} · Valid until 9999-12-31$`));
  await runNode(deleteConsent, { "consent-id": consentId });

  expect(await eventually(async () => !(await find(consentId)), waitOptions)).toBe(true);
});

test("offers an initiated payment with amount and creditor", async () => {
  const client = sandboxClient(sandbox);
  const input = (await sampleInput("payments.initiate", client)) as object;
  await client.close();
  const { paymentId } = await runNode(initiatePayment, input, {
    requestKey: typed("str", "invoice 20418"),
  });
  const [newest] = await requestOptions(getPaymentStatus, "paymentId");

  expect(newest).toEqual({
    value: paymentId,
    title: expect.stringMatching(
      new RegExp(`${createdAtPattern} · 125.50 EUR · Ferme Duval SARL$`),
    ) as string,
    label: "125.50 EUR",
  });
});

test("refuses other sites and operations that change something", async () => {
  const list = listFor(getConsent, "consent-id");
  expect((await requestList(list, { origin: "https://elsewhere.example" })).status).toBe(403);
  const refused = await requestList({ from: "consents.delete", property: "consent-id" });
  expect(refused.status).toBe(400);
});
