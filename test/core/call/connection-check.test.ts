/** Connection check with one read. */
import { contract } from "../../../core/contract/contract";
import { checkConnection } from "../../../core/client/connection-check";
import { type Fault, reset, respond } from "../../support/fault-server";
import { createClient } from "../../../core";
import { runLater } from "../../support/resources";
import { createTestClient, startFaultServer } from "../support/client-fixtures";

test.each<[string, Fault, object]>([
  ["accepts the credentials", respond(200, "[]"), { reachable: true, authorised: true }],
  ["refuses them", respond(401), { reachable: true, authorised: false }],
  ["refuses them for this client", respond(403), { reachable: true, authorised: false }],
  ["does not know the client", respond(404), { reachable: true, authorised: undefined }],
  ["fails", respond(500), { reachable: true, authorised: undefined }],
  ["hangs up", reset, { reachable: false, authorised: undefined }],
])("reports the status if the service %s", async (_what, fault, facts) => {
  const { url } = await startFaultServer(fault);
  const { error, ...standing } = await checkConnection(
    createTestClient({ baseUrl: url, environment: "sandbox" }),
  );
  expect(standing).toEqual({
    environment: "sandbox",
    address: url,
    clientId: "c-1",
    contactId: undefined,
    ...facts,
  });
  expect(error === undefined).toBe(standing.authorised === true);
});

test("sends nothing without credentials and leaves reachability undefined", async () => {
  const { url, heads } = await startFaultServer(respond(200, "[]"));
  const client = createClient({ baseUrl: url, clientId: "c-1" });
  runLater(() => client.close());
  expect(await checkConnection(client)).toMatchObject({ authorised: false, error: { code: "unauthorized" } });
  expect(heads).toEqual([]);
});

test("throws if the service has no probe operation", async () => {
  const client = createClient({ baseUrl: "http://127.0.0.1:9", clientId: "c-1" }, contract);
  runLater(() => client.close());
  await expect(checkConnection(client)).rejects.toThrow("declares no probe operation");
});
