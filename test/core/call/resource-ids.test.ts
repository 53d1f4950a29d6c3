/** Lists IDs that calls created, at a real sandbox. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import type { ClientOptions, FxdeskClient } from "@fxdesk/toolkit";
import { createConsent } from "../../../core/contract/consents";
import {
  getBulkPayment,
  getPayment,
  getPaymentAuthorisation,
  getPaymentStatus,
  initiateBulkPayment,
  initiatePayment,
} from "../../../core/contract/payments";
import type { Declaration } from "../../../core/spec/operation";
import { createClientContext } from "../../../core/call/client-context";
import { fxdeskService } from "../../../core/client/fxdesk-service";
import { ResourceIds } from "../../../core/client/resource-ids";
import { listTrades } from "../../../core/contract/trades";
import { eraseDetails } from "../../../core/journal/operator-actions";
import { withStore } from "../../../core/store/open";
import { parseStoreSettings } from "../../../core/store/settings";
import { respond } from "../../support/fault-server";
import { runLater, tempFolder } from "../../support/resources";
import { consentInput, sampleInput } from "../../support/samples";
import { openClient, openSandbox } from "../../support/sandboxes";
import { startFaultServer } from "../support/client-fixtures";

let sandbox: Sandbox;
let store: string;
let warnings: jest.SpyInstance;

beforeAll(async () => (sandbox = await openSandbox()));
beforeEach(async () => {
  store = join(await tempFolder(), "new/store.db");
  warnings = jest.spyOn(process, "emitWarning").mockReturnValue();
  runLater(() => warnings.mockRestore());
});

const connectClient = (options: ClientOptions = {}): FxdeskClient =>
  openClient(sandbox, { store, ...options });

const createConsentId = async (client: FxdeskClient) =>
  (await client.consents.create(consentInput)).consentId;

test("lists a consent with its last day in another client, until it is deleted", async () => {
  const client = connectClient();
  const [first, second] = [await createConsentId(client), await createConsentId(client)];
  const labelParts = ["Valid until 9999-12-31"];
  const other = connectClient();
  const created = await other.listCreatedResources(createConsent);
  expect(created).toMatchObject([
    { id: second, labelParts },
    { id: first, labelParts },
  ]);
  await other.consents.delete({ "consent-id": second });
  expect((await other.listCreatedResources(createConsent)).map(({ id }) => id)).toEqual([first]);
});

test("separates people and environments", async () => {
  const first = connectClient({ psu: { "PSU-ID": "anna" } });
  const id = await createConsentId(first);
  await first.close();
  const ids = async (options: ClientOptions) =>
    (await connectClient(options).listCreatedResources(createConsent)).map((each) => each.id);
  expect(await ids({ settings: { psuId: "anna" } })).toEqual([id]);
  expect(await ids({ settings: { psuId: "bert" } })).toEqual([]);
  expect(await ids({})).toEqual([]);
  expect(await ids({ psu: { "PSU-ID": "anna" }, xs2aUrl: "https://xs2a.example.com" })).toEqual([]);
});

test("lists payments from the journal by kind, with amount and creditor until they are erased", async () => {
  const client = connectClient();
  const single = (await sampleInput("payments.initiate", client)) as never;
  const { paymentId: one } = await client.payments.initiate(single);
  const many = (await sampleInput("payments.initiateBulk", client)) as never;
  const response = await client.payments.initiateBulk.response(many);
  const bulk = response.body.paymentId;
  const ids = async (operation: Declaration) =>
    (await client.listCreatedResources(operation)).map(({ id }) => id);

  expect(await client.listCreatedResources(initiatePayment)).toMatchObject([
    { id: bulk, labelParts: ["125.50 EUR"] },
    { id: one, labelParts: ["125.50 EUR", "Ferme Duval SARL"] },
  ]);
  expect(await ids(getPayment)).toEqual([one]);
  for (const operation of [getBulkPayment, initiateBulkPayment]) expect(await ids(operation)).toEqual([bulk]);
  for (const operation of [getPaymentStatus, getPaymentAuthorisation])
    expect(await ids(operation)).toEqual([bulk, one]);
  await withStore(parseStoreSettings({ store }), (opened) => eraseDetails(opened, response.journal!.entry));
  const [erased] = await client.listCreatedResources(initiateBulkPayment);
  expect(erased).toMatchObject({ id: bulk, labelParts: [] });
});

test("lists nothing for operations without created IDs, and creates no store", async () => {
  const client = connectClient();
  expect(await client.listCreatedResources(listTrades)).toEqual([]);
  expect(await client.listCreatedResources(createConsent)).toEqual([]);
  const elsewhere = connectClient({ store: `${store}-other` });
  await client.consents.delete({ "consent-id": await createConsentId(elsewhere) });
  await client.close();
  expect(existsSync(store)).toBe(false);
});

const createdResponse = respond(
  201,
  JSON.stringify({ consentId: "c-1", consentStatus: "received", _links: {} }),
);

test("ends the call while the store is locked, and stores the ID later", async () => {
  let release: () => void;
  const held = new Promise<void>((resolve) => (release = resolve));
  let holding: Promise<void>;
  const server = await startFaultServer((socket, number) => {
    holding = withStore(parseStoreSettings({ store }), ({ database }) =>
      database.transaction(async () => {
        createdResponse(socket, number);
        await held;
      }),
    );
  });
  const client = connectClient({ xs2aUrl: server.url });
  expect(await client.consents.create(consentInput)).toMatchObject({ consentId: "c-1" });
  release!();
  await holding!;
  await client.close();
  const created = await connectClient({ xs2aUrl: server.url }).listCreatedResources(createConsent);
  expect(created.map(({ id }) => id)).toEqual(["c-1"]);
});

test("limits the wait on close for all IDs together, and warns about the rest", async () => {
  const client = connectClient();
  const ids = new ResourceIds(createClientContext(fxdeskService, { store, xs2aUrl: sandbox.baseUrl }));
  const call = client.prepare(createConsent, consentInput);
  await withStore(parseStoreSettings({ store }), ({ database }) =>
    database.transaction(async () => {
      for (const consentId of ["c-1", "c-2", "c-3", "c-4"]) void ids.record(call, { consentId });
      await ids.close(50);
    }),
  );
  const messages = warnings.mock.calls.map(([message]) => message as string);
  expect(messages.filter((message) => !message.includes("unencrypted"))).toEqual([
    expect.stringContaining("before the IDs of 4 calls were stored"),
  ]);
});

test("returns the result with a warning if the ID cannot be stored", async () => {
  // The store breaks while the call is in flight.
  const server = await startFaultServer((socket, number) => {
    mkdirSync(dirname(store), { recursive: true, mode: 0o700 });
    writeFileSync(store, "no database", { mode: 0o600 });
    createdResponse(socket, number);
  });
  const client = connectClient({ xs2aUrl: server.url });
  expect(await client.consents.create(consentInput)).toMatchObject({ consentId: "c-1" });
  await client.close();
  expect(warnings).toHaveBeenCalledTimes(1);
  expect(warnings).toHaveBeenCalledWith(
    expect.stringContaining("consents.create: The call was carried out, but its ID could not be stored"),
    { type: "FxdeskWarning", code: "FXDESK_ID_UNKEPT" },
  );
});
