/** Requests of the editor: log in and test for a connection's form, values for fields, words, help and operations. */
import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { join } from "node:path";
import type { NodeAPI } from "node-red";
import { type Declaration, operations } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { settingsOf } from "../../core/call/settings";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { createConsent, deleteConsent, getConsent } from "../../core/contract/consents";
import { getPaymentStatus, initiatePayment } from "../../core/contract/payments";
import { listTrades } from "../../core/contract/trades";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { nodeTypes } from "../../nodes/node-types";
import { serveEditorTexts } from "../../nodes/editor/serve-texts";
import { createListFinder, type PickerOption } from "../../nodes/editor/field-lists";
import { eventually } from "../support/eventually";
import { faultServer, type FaultServer, respond } from "../support/fault-server";
import { closeLater } from "../support/resources";
import { openPage, type ShownPage, signIn } from "../support/login";
import { consentInput, sampleInput } from "../support/samples";
import { openClient } from "../support/sandboxes";
import { writeExtension } from "./support/extension";
import { connectionConfig, operationNode, tab, testFlow, typed } from "./support/flows";
import { type FlowNode, type Message, NodeRed } from "./support/node-red";

type Handler = ReturnType<NodeAPI["auth"]["needsPermission"]>;
type Request = Parameters<Handler>[0];
type Response = Parameters<Handler>[1];

let sandbox: Sandbox;
let nodeRed: NodeRed;

beforeAll(async () => {
  const env = { ...(await writeExtension()), THE_SECRET: demo.authClientSecret };
  nodeRed = await NodeRed.start({ env });
  const redirectUri = `${nodeRed.url}/fxdesk/connection/return`;
  sandbox = closeLater(await startSandbox({ redirectUri, daysBehind: 5 }));
}, 60_000);

type Values = Readonly<Record<string, string>>;

const keyOfStore = randomBytes(32).toString("base64");

const applicationValues = (): Values => ({
  environment: "sandbox",
  baseUrl: sandbox.baseUrl,
  authClientId: demo.authClientId,
  authClientSecret: demo.authClientSecret,
  apiKey: demo.apiKey,
  store: join(nodeRed.userDir, "store.db"),
  storeKey: keyOfStore,
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

test("tells monitoring systems its health, its readiness and its metrics, but not another site", async () => {
  for (const path of ["health", "ready", "metrics"])
    expect((await nodeRed.request(`/fxdesk/${path}`)).status).toBe(200);
  expect(await (await nodeRed.request("/fxdesk/metrics")).text()).toMatch(/^fxdesk_store_up 1$/m);
  const headers = { origin: "https://elsewhere.example" };
  expect((await nodeRed.request("/fxdesk/metrics", { headers })).status).toBe(403);
});

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
  [{ clientId: "c", baseUrl: "${NOT_THERE}" }, "Base address"],
  [{ clientId: "c", timeoutMs: "soon" }, "Time limit"],
])("%j is reported with the label of the form", async (values, message) => {
  expect(await postAction("test", values as Values)).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining(message) },
  });
});

test("logs in, and the connection deployed afterwards uses the login", async () => {
  const values: Values = applicationValues();
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
    id: "logged-in",
    xs2aUrl: "",
  };
  const list = operationNode(listTrades, "list", ["end"], { results: "one", connection: connection.id });
  expect((await nodeRed.run(testFlow(connection, list)))[0].statusCode).toBe(200);
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
    ["proxy", "Proxy"],
    ["ca", "Certificate authorities"],
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

describe("variables of Node-RED", () => {
  const listInput = { page_size: typed("num", "5") };
  const reading = (parent: object) =>
    operationNode(listTrades, "reads-variable", ["end"], {
      fields: { ...listInput, parent_trade_id: parent },
      results: "one",
    });
  const environmentField = typed("env", "THE_SECRET");
  const secrets = { accessToken: "__PWRD__", apiKey: "${THE_SECRET}" };
  const deployedValues = (): Values => ({
    environment: "sandbox",
    baseUrl: sandbox.baseUrl,
    xs2aUrl: sandbox.xs2aUrl,
    clientId: demo.clientId,
    contactId: demo.contactId,
    accessToken: demo.accessToken,
  });
  let other: FaultServer;

  beforeAll(async () => {
    other = await faultServer(respond(200, "[]"));
    const credentials = { accessToken: demo.accessToken, apiKey: secrets.apiKey };
    const connection = connectionConfig(sandbox, { credentials });
    await nodeRed.deploy(testFlow(connection, reading(environmentField)));
  });

  async function send(what: "test" | "login" | "list" | "try", values: Values, body: object = {}) {
    const before = sandbox.requests.length;
    const response = await nodeRed.request(`/fxdesk/connection/${what}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        id: "connection",
        from: "cash.getPosition",
        property: "account_id",
        operation: listTrades.name,
        node: "reads-variable",
        fields: listInput,
        values,
        ...body,
      }),
    });
    const text = await response.text();
    const urls = sandbox.requests.slice(before).map(({ url }) => decodeURIComponent(url));
    return { status: response.status, text, sent: [...other.heads, ...urls].join() };
  }

  const settings = settingsOf(fxdeskService).map(({ name }) => name);

  test.each(["test", "login", "list", "try"] as const)("%s reads none that is not deployed", async (what) => {
    const tried = [
      ...settings.flatMap((name) =>
        ["${THE_SECRET}", "$(THE_SECRET)"].map((variable) => ({ ...deployedValues(), [name]: variable })),
      ),
      { ...deployedValues(), baseUrl: other.url, apiKey: secrets.apiKey },
      { ...deployedValues(), xs2aUrl: other.url, apiKey: secrets.apiKey },
    ].filter(({ apiKey = "", baseUrl }) => apiKey !== secrets.apiKey || baseUrl === other.url);
    for (const values of tried) {
      const { status, text, sent } = await send(what, values);
      expect([status, values]).toEqual([400, values]);
      expect(text + sent).not.toContain(demo.authClientSecret);
    }
    expect((await send(what, tried[0]!, { id: "none" })).status).toBe(400);
  });

  const expressions = [
    environmentField,
    typed("jsonata", '$env("THE_SECRET")'),
    typed("global", "secret"),
    typed("flow", "secret"),
    { type: ["env"], value: "THE_SECRET" },
    { type: "env", value: ["THE_SECRET"] },
  ];

  test.each(expressions)("a field %j is not read for another address", async (field) => {
    const addresses = [{ baseUrl: other.url }, { environment: "api" }];
    for (const changed of addresses)
      for (const body of [{ fields: { parent_trade_id: field } }, { fields: {}, input: field }]) {
        const { status, text, sent } = await send("try", { ...deployedValues(), ...changed }, body);
        expect(status).toBe(400);
        expect(text + sent).not.toContain(demo.authClientSecret);
      }
    expect(other.heads).toEqual([]);
  });

  test.each([
    ["a node that is not deployed", { node: "new" }],
    ["a field that is not deployed", { fields: { ...listInput, page: environmentField } }],
    ["another variable", { fields: { ...listInput, parent_trade_id: typed("env", "PATH") } }],
    ["another connection", { id: "new" }],
  ])("%s has only literal values", async (_what, body) => {
    const { status, text, sent } = await send("try", deployedValues(), {
      fields: { ...listInput, parent_trade_id: environmentField },
      ...body,
    });
    expect([status, JSON.parse(text)]).toEqual([400, { message: expect.stringContaining("Deploy first") }]);
    expect(sent).not.toContain(demo.authClientSecret);
  });

  test("are not mixed with those of a form that reads all settings from the environment", async () => {
    const values = { ...deployedValues(), ...secrets, fromEnvironment: "true" };
    expect(await send("test", values)).toMatchObject({
      status: 400,
      text: expect.stringContaining("Client ID"),
    });
    const { text } = await send("try", values, { fields: { parent_trade_id: environmentField } });
    expect(text).toContain("Deploy first");
  });

  test("are read as deployed", async () => {
    const values = { ...deployedValues(), ...secrets };
    const { text } = await send("test", values);
    expect(JSON.parse(text)).toMatchObject({ reachable: true });
    const { sent } = await send("try", deployedValues(), {
      fields: { ...listInput, parent_trade_id: environmentField },
    });
    expect(sent).toContain(demo.authClientSecret);
  });

  test("literal values go to an address that is not deployed", async () => {
    const values = { ...deployedValues(), baseUrl: other.url };
    const { status } = await send("try", values, { node: "new" });
    expect(status).toBe(200);
    expect(other.heads).toHaveLength(1);
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

describe("values for forms", () => {
  async function create(operation: Declaration, input: object, properties: object = {}): Promise<Message> {
    const node = operationNode(operation, "node", ["end"], { fromPayload: true, ...properties });
    const flows = testFlow(connectionConfig(sandbox), node);
    const [{ payload: created, error }] = await nodeRed.run(flows, { payload: input });
    expect(error).toBeUndefined();
    return created;
  }

  const {
    id,
    type: _type,
    name: _name,
    credentials: _credentials,
    ...values
  } = connectionConfig({
    baseUrl: "",
    xs2aUrl: "",
  });
  const post = (action: "list" | "rate" | "try", body: object) =>
    nodeRed.request(`/fxdesk/connection/${action}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        id,
        values: {
          ...values,
          baseUrl: sandbox.baseUrl,
          xs2aUrl: sandbox.xs2aUrl,
          accessToken: "__PWRD__",
          apiKey: "__PWRD__",
        },
        ...body,
      }),
    });

  async function requestOptions(operation: Declaration, field: string): Promise<readonly PickerOption[]> {
    const described = callerFieldDocs(describeOperation(operation)).find(({ name }) => name === field)!;
    const response = await post("list", createListFinder(fxdeskService)(operation, described)!);
    if (response.status !== 200) throw new Error(await response.text());
    expect(response.status).toBe(200);
    return ((await response.json()) as { entries: PickerOption[] }).entries;
  }

  const createdAtPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\dZ/.source;
  const waitOptions = { withinMs: 20_000, what: "the change in what is offered" };

  test("offers a created consent until it is deleted", async () => {
    const { consentId } = await create(createConsent, consentInput);
    const find = async () =>
      (await requestOptions(getConsent, "consent-id")).find(({ value }) => value === consentId);
    const { title } = await eventually(find, waitOptions);
    expect(title).toMatch(new RegExp(`${createdAtPattern} · Valid until 9999-12-31$`));
    await create(deleteConsent, { "consent-id": consentId });

    expect(await eventually(async () => !(await find()), waitOptions)).toBe(true);
  });

  test("offers an initiated payment with amount and creditor", async () => {
    const input = (await sampleInput("payments.initiate", openClient(sandbox))) as object;
    const { paymentId } = await create(initiatePayment, input, { requestKey: typed("str", "invoice 20418") });

    expect((await requestOptions(getPaymentStatus, "paymentId"))[0]).toEqual({
      value: paymentId,
      title: expect.stringMatching(new RegExp(`${createdAtPattern} · 125.50 EUR · Ferme Duval SARL$`)),
      label: "125.50 EUR",
    });
  });

  test("lists entries with stored secrets and reveals none", async () => {
    const response = await post("list", { from: "cash.getPosition", property: "account_id" });
    const text = await response.text();

    expect((JSON.parse(text) as { entries: unknown[] }).entries.length).toBeGreaterThan(2);
    for (const secret of [demo.accessToken, demo.apiKey]) expect(text).not.toContain(secret);
  });

  test("estimates a rate for the pair of an order, from either side", async () => {
    const rates = await Promise.all(
      [
        { pair: "EURUSD", buy: "USD" },
        { pair: "EURUSD", buy: "EUR" },
        { pair: "USDEUR", buy: "USD" },
        { pair: "EURXXX", buy: "XXX" },
      ].map(async (each) => ((await (await post("rate", each)).json()) as { rate?: string }).rate),
    );
    const [sold, bought, inverse, unknown] = rates;
    expect(Number(sold)).toBeLessThan(Number(bought));
    expect(Number(sold) * Number(inverse)).toBeCloseTo(1, 2);
    expect(unknown).toBeUndefined();
  });

  test("calls no operation that changes something", async () => {
    const bodies = [
      await post("list", { from: "consents.delete", property: "consent-id" }),
      await post("try", { operation: "trades.book", fields: {} }),
    ];
    expect(bodies.map(({ status }) => status)).toEqual([400, 400]);
  });
});

describe("the check of a form", () => {
  const str = (value: string) => ({ type: "str", value });
  const order = {
    buy_currency: str("USD"),
    sell_currency: str("EUR"),
    fixed_side: str("sell"),
    amount: str("20000"),
    reason: str("other"),
    valid_until: str("2099-01-31T16:30Z"),
  };
  const bulk = { "payment-product": str("sepa-credit-transfers") };
  const fromMessage = { type: "msg", value: "payload.rate" };

  test.each([
    ["nothing for a valid order", "trades.order", { ...order, largest_distance: str("0.5") }, []],
    ["a missing way", "trades.order", order, ["worst_rate, largest_distance", "rate_symbol"]],
    ["a pair that a choice requires", "trades.order", { ...order, worst_rate: str("1.05") }, ["rate_symbol"]],
    [
      "nothing that a message brings",
      "trades.order",
      { ...order, worst_rate: fromMessage, rate_symbol: fromMessage },
      [],
    ],
    ["a format", "trades.order", { ...order, largest_distance: str("soon") }, ["largest_distance"]],
    ["fields of a document", "payments.initiateBulk", bulk, ["debtorAccount, payments"]],
    [
      "nested fields",
      "payments.initiateBulk",
      { ...bulk, debtorAccount: { type: "json", value: "{}" } },
      ["debtorAccount"],
    ],
    ["items", "transactions.reconcile", {}, ["items"]],
    [
      "nothing in a field that a choice hides",
      "calendar.watch",
      { when: str("month_end"), number: { type: "num", value: "third" } },
      [],
    ],
    [
      "a field that a message may hide",
      "calendar.watch",
      { when: { type: "flow", value: "when" }, number: { type: "num", value: "99" } },
      ["number"],
    ],
    [
      "a field hidden by one that is hidden itself",
      "payments.initiate",
      {
        "payment-service": str("bulk-payments"),
        "payment-product": str("pain.001-sepa-credit-transfers"),
        frequency: str("Monthly"),
        monthsOfExecution: { type: "json", value: '["13"]' },
      },
      ["pain001"],
    ],
  ])("reports %s", async (_title, operation, fields, expected) => {
    const check = async (body: object) => {
      const response = await nodeRed.request("/fxdesk/check", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ operation, fields, ...body }),
      });
      return ((await response.json()) as { violations: { field: string }[] }).violations.map(
        ({ field }) => field,
      );
    };
    const found = await check({});
    expect(expected.filter((each) => !found.some((field) => field.startsWith(each)))).toEqual([]);
    if (expected.length === 0) expect(found).toEqual([]);
    // What the payload may bring is known only with a message.
    const given = Object.keys(fields);
    const certain = await check({ fromPayload: true });
    expect(certain.filter((field) => !given.includes(field.split(".")[0]!))).toEqual([]);
  });
});

describe("the headings of a table", () => {
  const match = (operation: string, field: string, header: unknown) =>
    nodeRed.request("/fxdesk/headings", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ operation, field, header }),
    });

  test.each([
    [
      "payments.prepareRun",
      "rows_csv",
      "\uFEFFEmpfänger;Konto;Betrag;Notiz",
      [["Empfänger", "payee"], ["Konto", "iban"], ["Betrag", "amount"], ["Notiz"]],
    ],
    [
      "transactions.reconcile",
      "items_csv",
      "amount,currency,colour",
      [["amount", "amount"], ["currency", "currency"], ["colour"]],
    ],
    [
      "exposure.get",
      "flows_csv",
      "Due date\tccy\tamount",
      [
        ["Due date", "date"],
        ["ccy", "currency"],
        ["amount", "amount"],
      ],
    ],
    [
      "statements.convert",
      "map",
      'Buchungstag;"Betrag (EUR)";Filiale',
      [["Buchungstag", "booking_date"], ["Betrag (EUR)", "amount"], ["Filiale"]],
    ],
    [
      "statements.convert",
      "map",
      "Datum;Betrag;Soll;Haben;S/H",
      [["Datum", "booking_date"], ["Betrag", "amount"], ["Soll"], ["Haben"], ["S/H", "mark"]],
    ],
    [
      "statements.convert",
      "map",
      "Date,Debit,Credit,D/C",
      [["Date", "booking_date"], ["Debit", "debit"], ["Credit", "credit"], ["D/C"]],
    ],
    ["payments.prepareRun", "rows_csv", "Konto;IBAN", [["Konto", "iban"], ["IBAN"]]],
    ["transactions.reconcile", "items_csv", 'amount,"open', []],
  ])("of %s, %s: %s", async (operation, field, header, expected) => {
    const { headings } = (await (await match(operation, field, header)).json()) as {
      headings: { heading: string; column?: string }[];
    };
    expect(
      headings.map(({ heading, column }) => (column === undefined ? [heading] : [heading, column])),
    ).toEqual(expected);
  });

  test.each([
    ["nothing.known", "rows_csv", "a,b"],
    ["trades.list", "rows_csv", "a,b"],
    ["transactions.reconcile", "items", "a,b"],
    ["transactions.reconcile", "items_csv", 7],
    ["transactions.reconcile", "items_csv", "x".repeat(2_001)],
  ])("are refused for %s, %s", async (operation, field, header) => {
    expect((await match(operation, field, header)).status).toBe(400);
  });
});

describe("the routes of the editor", () => {
  const language = ["de", "de-AT", "en-US", "fr", "../de", ""];
  const isGerman = [true, true, false, false, false, false];

  test.each([
    ["/fxdesk/words", "Anmeldung"],
    ["/fxdesk/help/fxdesk-list-trades", "<h3>Ausgaben</h3>"],
  ])("%s is in the language of the editor, or in English", async (path, words) => {
    const texts = await Promise.all(
      language.map(async (each) => (await nodeRed.request(`${path}?lang=${each}`)).text()),
    );
    expect(texts.map((text) => text.includes(words))).toEqual(isGerman);
  });

  test("Node-RED serves catalogues and summaries in the language of the editor", async () => {
    const catalogue = (set: string) => nodeRed.json<Message>(`/locales/@fxdesk/toolkit/${set}?lng=de`);
    const headers = { accept: "text/html", "accept-language": "de" };

    expect((await catalogue("fxdesk")).form.connection).toBe("Verbindung");
    expect((await catalogue("fxdesk-releases")).labels["fxdesk-release"]).toBe("Freigeben");
    expect(await (await nodeRed.request("/nodes", { headers })).text()).toContain(
      "Listet die Devisengeschäfte",
    );
  });

  test("offer all operations, including those of the extension", async () => {
    const all = await nodeRed.json<Message[]>("/fxdesk/operations");

    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...operations.map(({ name }) => name), "quotes.create"]),
    );
    expect(all.find(({ name }) => name === "quotes.create")).toMatchObject({
      title: "Create quote",
      effect: "change",
      fields: expect.arrayContaining([expect.objectContaining({ name: "amount", required: true })]),
    });
  });

  const routes: readonly (readonly [method: string, path: string])[] = [
    ["GET", "operations"],
    ["GET", "watches"],
    ["GET", "words"],
    ["GET", "help/fxdesk-list-trades"],
    ["POST", "check"],
    ["POST", "headings"],
    ["POST", "connection/test"],
    ["POST", "connection/login"],
    ["GET", "connection/login/x"],
    ["POST", "connection/list"],
    ["POST", "connection/rate"],
    ["POST", "connection/try"],
    ["GET", "health"],
    ["GET", "ready"],
    ["GET", "metrics"],
  ];
  const statusesOf = (init: RequestInit) =>
    Promise.all(
      routes.map(
        async ([method, path]) => (await nodeRed.request(`/fxdesk/${path}`, { ...init, method })).status,
      ),
    );

  test.each(["https://elsewhere.example", "http://127.0.0.1:1", "null"])("refuse %s", async (origin) => {
    expect(await statusesOf({ headers: { origin } })).toEqual(routes.map(() => 403));
    expect((await nodeRed.request("/fxdesk/operations", { headers: { origin: nodeRed.url } })).status).toBe(
      200,
    );
  });

  test("require a permission", () => {
    const asked: [string, Handler][] = [];
    const route = (path: string, access: Handler) => asked.push([path, access]);
    const denied = jest.fn();
    const RED = {
      auth: { needsPermission: () => denied },
      events: new EventEmitter(),
      httpAdmin: { get: route, post: route, use: () => undefined },
    } as unknown as NodeAPI;
    serveEditorTexts(RED);
    nodeTypes(RED, {});
    expect(asked.map(([path]) => path.replace(/:\w+/, "x")).toSorted()).toEqual(
      routes.map(([, path]) => `/fxdesk/${path.replace("fxdesk-list-trades", "x")}`).toSorted(),
    );
    const next = jest.fn();
    for (const [, access] of asked) access({} as Request, {} as Response, next);
    expect([denied.mock.calls.length, next.mock.calls.length]).toEqual([routes.length, 0]);
  });

  test.each(["fxdesk-nothing", "inject", "..%2Fde%2Ffxdesk-list-trades", "%2e%2e"])(
    "have no help for %s",
    async (unknown) => {
      expect((await nodeRed.request(`/fxdesk/help/${unknown}?lang=en-US`)).status).toBe(404);
    },
  );
});
