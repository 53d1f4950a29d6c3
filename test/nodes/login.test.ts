/** Log in and Test of a connection: what the runtime does for its form, before the form is deployed and after. */
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { listTrades } from "../../core/contract/trades";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { openPage, type ShownPage, signIn } from "../support/login";
import { catchNode, connectionConfig, debugNode, injectNode, operationNode, tab } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

let sandbox: Sandbox;
let nodeRed: NodeRed;

beforeAll(async () => {
  nodeRed = await NodeRed.start({ env: { THE_SECRET: demo.authClientSecret } });
  sandbox = await startSandbox({ redirectUri: `${nodeRed.url}/fxdesk/connection/return`, daysBehind: 5 });
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await sandbox.close();
});

type Values = Readonly<Record<string, string>>;

const applicationValues = (): Values => ({
  environment: "sandbox",
  baseUrl: sandbox.baseUrl,
  authClientId: demo.authClientId,
  authClientSecret: demo.authClientSecret,
  apiKey: demo.apiKey,
  store: join(nodeRed.userDir, "store.db"),
  storeKey: randomBytes(32).toString("base64"),
});

interface ActionResponse {
  readonly status: number;
  readonly cookie: string;
  readonly body: Record<string, any>;
}

async function postAction(
  what: "login" | "test",
  values: Values,
  headers: Record<string, string> = {},
): Promise<ActionResponse> {
  const response = await nodeRed.request(`/fxdesk/connection/${what}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: nodeRed.url, ...headers },
    body: JSON.stringify({ id: "connection", values }),
  });
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { status: response.status, cookie, body: (await response.json()) as ActionResponse["body"] };
}

const stateOf = (handle: string) =>
  nodeRed.json<Record<string, unknown>>(`/fxdesk/connection/login/${handle}`);

interface LoggedIn extends ActionResponse {
  readonly shown: ShownPage;
  readonly back: URL;
}

async function logIn(values: Values): Promise<LoggedIn> {
  const told = await postAction("login", values);
  const back = await signIn(told.body.address as string);
  return { ...told, back, shown: await openPage(back, { cookie: told.cookie }) };
}

test("tests a form that was never deployed", async () => {
  const values = { baseUrl: sandbox.baseUrl, environment: "sandbox", clientId: demo.clientId };
  const good = await postAction("test", { ...values, accessToken: demo.accessToken });
  expect(good).toMatchObject({
    status: 200,
    body: {
      environment: "sandbox",
      address: sandbox.baseUrl,
      clientId: demo.clientId,
      reachable: true,
      authorised: true,
    },
  });
  expect(good.body).not.toHaveProperty("message");

  const refused = await postAction("test", { ...values, accessToken: "wrong-access-token" });
  expect(refused.body).toMatchObject({ reachable: true, authorised: false, message: expect.any(String) });
  expect(JSON.stringify(refused.body)).not.toContain("wrong-access-token");
  const away = await postAction("test", { ...values, baseUrl: "http://127.0.0.1:9", accessToken: "any" });
  expect(away.body).toMatchObject({ reachable: false });
});

test.each([
  [{}, "Client ID"],
  [{ clientId: "c" }, "Base address"],
  [{ clientId: "c", baseUrl: "nowhere" }, "Base address must be an http"],
  [{ clientId: "c", baseUrl: "${NOT_THERE}" }, "Base address: the environment variable NOT_THERE is not set"],
  [{ clientId: "c", timeoutMs: "soon" }, "Time limit"],
])("%j is reported with the label of the form", async (values, message) => {
  expect(await postAction("test", values as Values)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(message) },
  });
});

test("logs in, and the connection deployed afterwards uses the login", async () => {
  const values: Values = { ...applicationValues(), authClientSecret: "${THE_SECRET}" };
  const { body, cookie, shown } = await logIn(values);
  expect(cookie).toMatch(/^fxdesk-login-[\w-]{36}=[\w-]{43}$/);
  expect(shown).toMatchObject({ status: 200, html: expect.stringContaining("Logged in") });
  const state = await stateOf(body.handle as string);
  expect(state).toEqual({
    state: "done",
    login: expect.stringMatching(/^[\w-]{36}$/),
    environment: "sandbox",
    clientId: demo.clientId,
    clientIds: [demo.clientId],
  });

  const { authClientSecret, apiKey, storeKey, ...open } = values;
  const credentials = { authClientSecret, apiKey, storeKey, login: state.login };
  const connection: FlowNode = {
    ...connectionConfig(sandbox, { ...open, clientId: state.clientId, credentials }),
    xs2aUrl: "",
  };
  await nodeRed.deploy([
    tab,
    connection,
    injectNode("start", ["list"]),
    operationNode(listTrades, "list", ["end"], { pages: "one" }),
    debugNode("end"),
    catchNode("caught", ["end"]),
  ]);
  await nodeRed.inject("start");
  expect(await nodeRed.nextDebugValues("end")).toEqual([expect.objectContaining({ statusCode: 200 })]);
  expect(await nodeRed.request("/flows").then((response) => response.text())).not.toContain(state.login);
});

describe("what is deployed", () => {
  const secrets = { accessToken: "__PWRD__", apiKey: "__PWRD__" };
  const given = () => ({
    environment: "api",
    baseUrl: sandbox.baseUrl,
    xs2aUrl: sandbox.xs2aUrl,
    clientId: demo.clientId,
  });
  // Where it names no environment, the form shows the one that counts.
  beforeAll(() => nodeRed.deploy([tab, connectionConfig(sandbox, { environment: undefined })]));

  test("uses stored secrets that the form does not know", async () => {
    const { body } = await postAction("test", { ...given(), ...secrets });
    expect(body).toMatchObject({ reachable: true, authorised: true });
  });

  test.each([
    ["environment", "Environment"],
    ["baseUrl", "Base address"],
    ["authUrl", "Token address"],
    ["domain", "Domain"],
    ["xs2aUrl", "Open-banking address"],
    ["authClientId", "Application ID"],
  ])("has secrets that go nowhere else: %s", async (name, title) => {
    const before = sandbox.requests.length;
    for (const what of ["test", "login"] as const) {
      const { status, body } = await postAction(what, {
        ...given(),
        ...secrets,
        [name]: "http://127.0.0.1:9",
      });
      expect([status, body.message]).toEqual([
        400,
        expect.stringContaining(`${title} differs from the deployed value`),
      ]);
    }
    expect(sandbox.requests).toHaveLength(before);
  });
});

describe("a returning browser", () => {
  test("completes nothing without the right browser, state and path", async () => {
    const { body, cookie } = await postAction("login", applicationValues());
    const back = await signIn(body.address as string);
    const otherState = new URL(back);
    otherState.searchParams.set("state", "guessed");
    const statuses = await Promise.all([
      openPage(back),
      openPage(back, { cookie: cookie.replace(/=.*/, "=guessed") }),
      openPage(otherState, { cookie }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(await stateOf(body.handle as string)).toEqual({ state: "waiting" });

    expect((await openPage(back, { cookie })).status).toBe(200);
    expect((await openPage(back, { cookie })).status).toBe(400);
    expect(await stateOf(body.handle as string)).toMatchObject({ state: "done" });
  });

  test("shows a refusal on the page and in the form", async () => {
    const { body, cookie } = await postAction("login", applicationValues());
    const asked = new URL(body.address as string).searchParams;
    const back = new URL(asked.get("redirect_uri")!);
    back.search = new URLSearchParams({ error: "access_denied", state: asked.get("state")! }).toString();
    expect(await openPage(back, { cookie })).toMatchObject({
      status: 400,
      html: expect.stringContaining("access_denied"),
    });
    expect(await stateOf(body.handle as string)).toMatchObject({
      state: "failed",
      message: expect.stringContaining("access_denied"),
    });
  });

  test("gets no response without a pending login", async () => {
    expect((await nodeRed.request("/callback?state=s&code=c")).status).toBe(404);
    expect((await nodeRed.request("/fxdesk/connection/login/none")).status).toBe(404);
  });
});

test("a form of a page gets nothing", async () => {
  for (const what of ["test", "login"] as const)
    expect(await postAction(what, applicationValues(), { "content-type": "text/plain" })).toMatchObject({
      status: 400,
    });
});

test("names the address to open if the redirect address has another origin", async () => {
  const values = { ...applicationValues(), redirectUri: "http://desk.example:1880/callback" };
  expect(await postAction("login", values)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining("Open the editor at that address") },
  });
});
