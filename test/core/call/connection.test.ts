/** Connections of a client: addresses and settings, the runtime, and the check with one read. */
import {
  createClient,
  type ClientOptions,
  environmentName,
  optionsFromSettings,
  settingsFromEnvironment,
} from "../../../core";
import { checkConnection } from "../../../core/client/connection-check";
import { contract } from "../../../core/contract/contract";
import { type Fault, reset, respond } from "../../support/fault-server";
import { closeLater } from "../../support/resources";
import { createTestClient, startFaultServer } from "../support/client-fixtures";

test.each<[options: ClientOptions]>([
  [{ domain: "example.com" }],
  [{ domain: "example.com:8443", environment: "sandbox" }],
  [{ baseUrl: "http://127.0.0.1:1/base/" }],
  [{ baseUrl: "https://[::1]:1" }],
  [{ xs2aUrl: "https://example.com" }],
  [{}],
])("accepts %j", (options) => {
  expect(() => createClient(options)).not.toThrow();
});

test.each<[options: ClientOptions, message: string]>([
  [{ domain: "https://example.com/" }, "domain must be"],
  [{ domain: "example.com/path" }, "domain must be"],
  [{ domain: "user@example.com" }, "domain must be"],
  [{ baseUrl: "ftp://example.com" }, "baseUrl must be"],
  [{ baseUrl: "example.com" }, "baseUrl must be"],
  [{ xs2aUrl: "nonsense" }, "xs2aUrl must be"],
  [{ baseUrl: "https://user:canary@example.com" }, "baseUrl must not contain a user name or password"],
  [{ environment: "sandboxx" as never, domain: "example.com" }, "environment must be api or sandbox"],
  [{ pacing: "theirs" as never }, "pacing must be own or shared"],
  [{ requestsPerSecond: 0 }, "requestsPerSecond must be"],
  [{ queueLimit: 0.5 }, "queueLimit must be"],
  [{ connections: 0 }, "connections must be"],
])("refuses %j: %s", (options, message) => {
  const create = () => createClient(options);
  expect(create).toThrow(TypeError);
  expect(create).toThrow(message);
  expect(create).not.toThrow("canary");
});

test.each(["soon", "0", "1e3"])("refuses the time limit %j in a setting", (timeoutMs) => {
  expect(() => optionsFromSettings({ timeoutMs })).toThrow("timeoutMs must be");
});

describe.each(["policy", "people", "store", "storeKey", "actor"])("the setting %s", (name) => {
  test.each(["", " ", "\t"])("must not be blank, as %j is", (value) => {
    const message = new RegExp(`^${name} must not be blank`);
    expect(() => settingsFromEnvironment({ [environmentName(name)]: value })).toThrow(message);
    expect(() => optionsFromSettings({ [name]: value })).toThrow(message);
    expect(() => createClient({ [name]: value })).toThrow(message);
    expect(() => createClient({ settings: { [name]: value } })).toThrow(message);
  });
  test.each([null, 5, {}])("must be text, not %j", (value) => {
    expect(() => createClient({ [name]: value as never })).toThrow(TypeError);
  });
});

test("refuses a runtime that replaces undici", () => {
  jest.isolateModules(() => {
    jest.doMock("undici", () => ({ Client: function Client() {} }));
    const core = require("../../../core") as { createClient: typeof createClient };
    expect(() => core.createClient({ baseUrl: "https://example.com" })).toThrow("fxdesk requires Node.js");
  });
  jest.dontMock("undici");
});

test.each<[string, Fault, object]>([
  ["accepts the credentials", respond(200, "[]"), { reachable: true, authorised: true }],
  ["refuses them", respond(401), { reachable: true, authorised: false }],
  ["refuses them for this client", respond(403), { reachable: true, authorised: false }],
  ["does not know the client", respond(404), { reachable: true, authorised: undefined }],
  ["fails", respond(500), { reachable: true, authorised: undefined }],
  ["hangs up", reset, { reachable: false, authorised: undefined }],
])("reports the status if the service %s", async (_what, fault, facts) => {
  const { url } = await startFaultServer(fault);
  const client = createTestClient({ baseUrl: url, environment: "sandbox" });
  const { error, ...standing } = await checkConnection(client);
  const known = { environment: "sandbox", address: url, clientId: "c-1", contactId: undefined };
  expect(standing).toEqual({ ...known, ...facts });
  expect(error === undefined).toBe(standing.authorised === true);
});

test("checks nothing without credentials", async () => {
  const { url, heads } = await startFaultServer(respond(200, "[]"));
  const client = createTestClient({ baseUrl: url, credentials: {} });
  expect(await checkConnection(client)).toMatchObject({ authorised: false, error: { code: "unauthorized" } });
  expect(heads).toEqual([]);
});

test("cannot check a service without a probe operation", async () => {
  const client = closeLater(createClient({ baseUrl: "http://127.0.0.1:9", clientId: "c-1" }, contract));
  await expect(checkConnection(client)).rejects.toThrow("declares no probe operation");
});
