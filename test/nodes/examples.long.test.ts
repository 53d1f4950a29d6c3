/** The example flows of the package run as they are, against the sandbox. */
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { operations } from "@fxdesk/toolkit/operations";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { callType, connectionType, exampleConnection, nodeTypeOf, watchType } from "../../nodes/names";
import { procedures } from "../../core/procedures/all";
import { watches } from "../../core/watches/all";
import { eventually } from "../support/eventually";
import { approve, makeQuote, sampleInput, sandboxClient } from "../support/samples";
import { revisions, textOf } from "../mcp/support/clients";
import { variablesTo } from "./support/flows";
import { type ExtensionModule, extensionModule } from "./support/extension";
import { type FlowNode, NodeRed, root } from "./support/node-red";

const mcpToken = "a token that nobody guesses";
const examplesFolder = join(root, "examples");

const flowIn = (file: string) => JSON.parse(readFileSync(join(examplesFolder, file), "utf8")) as FlowNode[];

const examples = readdirSync(examplesFolder)
  .filter((file) => file.endsWith(".json"))
  .map((file) => [file.replace(/^\d+ |\.json$/g, ""), flowIn(file)] as const);

const flowOf = (title: string) => examples.find(([each]) => each === title)![1];

let sandbox: Sandbox;
let client: FxdeskClient;
let extension: ExtensionModule;
let nodeRed: NodeRed;
/** One without the module that declares quotes. */
let bare: NodeRed;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "examples-"));
  sandbox = await startSandbox();
  client = sandboxClient(sandbox);
  extension = await extensionModule();
  const env = { ...variablesTo(sandbox), FXDESK_MCP_TOKEN: mcpToken };
  [nodeRed, bare] = await Promise.all([
    NodeRed.start({ env: { ...extension.env, ...env } }),
    NodeRed.start({ env }),
  ]);
}, 60_000);

afterAll(async () => {
  await Promise.all([nodeRed.close(), bare.close()]);
  await extension.remove();
  await client.close();
  await sandbox.close();
  await rm(folder, { recursive: true });
});

type Variables = Readonly<Record<string, string>>;

const isWatching = (node: FlowNode) => node.type.startsWith("fxdesk-watch");

/** As a person sets it: the variables of the flow, files in a folder of the test, and watches that do not let us wait. */
const setUp = (flow: readonly FlowNode[], variables: Variables = {}, every = "0.2"): FlowNode[] =>
  flow.map((node) => {
    if (isWatching(node)) return { ...node, every };
    const { env } = node as { env?: { name: string; value: string }[] };
    if (node.type !== "tab" || !env) return node;
    const valueOf = ({ name, value }: { name: string; value: string }) =>
      variables[name] ?? (name === "FILE" || name === "FOLDER" ? join(folder, value) : value);
    return { ...node, env: env.map((each) => ({ ...each, value: valueOf(each) })) };
  });

/** With the connection that the editor makes beside it. */
const deploy = (flow: readonly FlowNode[], variables?: Variables, on = nodeRed) =>
  on.deploy([...setUp(flow, variables), exampleConnection]);

/** A consent that its person has given. */
async function consent(): Promise<string> {
  const { "Consent-ID": id } = await sampleInput("openBanking.listAccounts", client);
  return String(id);
}

/** What a person or a program asks of the flows that listen for it, by the method and path they listen on. */
const requests: Readonly<Record<string, () => Promise<Response>>> = {
  "get /cash-position": () => nodeRed.request("/cash-position"),
  "get /transactions": () =>
    nodeRed.request("/transactions?direction=in&min_amount=1000&period=last+30+days"),
  "get /login": () => nodeRed.request("/login"),
  "get /trades": () => nodeRed.request("/trades"),
  "post /trades": async () =>
    nodeRed.request("/trades", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        quote_id: await makeQuote(client),
        reason: "payment_for_goods",
        reference: "INV-2041",
      }),
    }),
  "get /open-banking/:consent": async () => nodeRed.request(`/open-banking/${await consent()}`),
};

const addressOf = ({ method, url }: FlowNode) => `${String(method)} ${String(url)}`;

const byType = (flow: readonly FlowNode[], type: string) => flow.filter((node) => node.type === type);

const debugOf = (flow: readonly FlowNode[], name: string) =>
  byType(flow, "debug").find((node) => node.name === name)!.id;

interface Expectation {
  /** Of the variables of the flow. */
  readonly variables?: () => Promise<Variables>;
  /** What happens while the flow runs. */
  readonly event?: (variables: Variables) => unknown;
  /** What the Debug nodes show, by their names. */
  readonly shows?: Readonly<Record<string, unknown>>;
  /** What there is beside that. */
  readonly leaves?: () => unknown;
}

const holding = (part: object) => expect.objectContaining(part) as unknown;
const listWith = (part: object) => expect.arrayContaining([holding(part)]) as unknown;
const words = (pattern: RegExp) => expect.stringMatching(pattern) as unknown;
const anything = expect.anything() as unknown;

const payIn = (currency: string, amount: string, reference: string) =>
  sandbox.control.payIn({ currency, amount, reference });

const moveRate = (symbol: string, by: number) => {
  const { rate } = sandbox.control.listRates().find((each) => each.symbol === symbol)!;
  sandbox.control.moveRate({ symbol, rate: rate * by });
};

/** Of the file of new transactions, once it has so many lines. */
async function referencesWritten(count: number): Promise<string[]> {
  const lines = async () => {
    const text = await readFile(join(folder, "transactions.jsonl"), "utf8").catch(() => "");
    const found = text.split("\n").filter(Boolean);
    return found.length >= count && found;
  };
  const written = await eventually(lines, { withinMs: 10_000, what: `${count} transactions in the file` });
  return written.map((line) => (JSON.parse(line) as { transaction_reference: string }).transaction_reference);
}

const bookTrade = async () =>
  client.trades.book({
    quote_id: await makeQuote(client),
    reason: "payment_for_goods",
    reference: "NEWS",
  });

/** What people say on the pages of their bank. */
function decideAll(decision: "approve" | "refuse"): void {
  for (const { authorisation_id } of sandbox.control.listAuthorisations())
    sandbox.control.decideAuthorisation({ authorisation_id, decision });
}

/** What comes out of each example, by its title. */
const expectations: Readonly<Record<string, Expectation>> = {
  "Cash position": { shows: { "Cash position": listWith({ currency: "EUR", type: "InterimAvailable" }) } },
  "Cash position as CSV": {
    shows: { Written: words(/account_id,account_name,type,currency,amount/) },
    leaves: async () =>
      expect(await readFile(join(folder, "cash-position.csv"), "utf8")).toMatch(/InterimAvailable,EUR,-?\d/),
  },
  "Cash in one currency": { shows: { "In euros": [holding({ currency: "EUR" })] } },
  "Low balance": {
    event: async () => {
      await nodeRed.shown(debugOf(flowOf("Low balance"), "Low"));
      payIn("GBP", "90000.00", "BACK");
    },
    shows: { Back: holding({ currency: "GBP", type: "InterimAvailable" }) },
  },
  "Find transactions": { shows: { Found: holding({ complete: true, sums: anything }) } },
  "Search transactions over HTTP": {},
  "Spending by supplier": { shows: { Spending: listWith({ count: expect.any(Number) as unknown }) } },
  "Each new transaction once": {
    event: () => payIn("EUR", "12.34", "ONCE-1"),
    leaves: async () => {
      await referencesWritten(1);
      await deploy(flowOf("Each new transaction once"));
      payIn("EUR", "12.34", "ONCE-2");
      expect(await referencesWritten(2)).toEqual(["ONCE-1", "ONCE-2"]);
    },
  },
  "Large payment received": {
    event: () => [payIn("EUR", "9999.99", "SMALL"), payIn("EUR", "10000.00", "LARGE")],
    shows: { Received: holding({ transaction_reference: "LARGE" }) },
  },
  "Transactions in full": { shows: { Latest: listWith({ credit_debit_indicator: words(/credit/i) }) } },
  "MT940 of all accounts": {
    shows: {
      Files: holding({ complete: true, files: listWith({ currency: "GBP", path: words(/\.sta$/) }) }),
    },
  },
  "Statement as data": { shows: { Entries: listWith({ amount: anything }) } },
  "Statement step by step": {
    shows: { "The file": holding({ statusCode: 200, contentType: words(/csv/) }) },
  },
  "Statements that are ready": {
    variables: async () => {
      const { account_id } = (await client.accounts.list({ currencies: "EUR" }))[0]!;
      const asked = { account_id, format: "csv", from_value_datetime: "2026-01-01T00:00" } as const;
      return { URLS: (await client.statements.createFile(asked)).url };
    },
    shows: { "The file": holding({ statusCode: 200, contentType: words(/csv/) }) },
  },
  "Statements by e-mail": {
    shows: { Accounts: anything, MT940: anything, Trades: anything, "Incoming funds": anything },
  },
  "Reconcile with a list": {
    shows: {
      "Matched and open": holding({ open_items: listWith({ reference: "INV-2042" }), complete: true }),
    },
  },
  "Currency exposure": { shows: { Exposure: holding({ positions: anything, complete: true }) } },
  Maturities: { shows: { Maturing: holding({ complete: true, period: anything, forwards: anything }) } },
  "Maturity reminder": {
    shows: { Reminder: words(/^drawdown \S+ matures on [-\d]+: pay in [.\d]+ [A-Z]{3}\.$/) },
  },
  "Margin call": {
    event: async () => {
      moveRate("EURUSD", 1.5);
      await nodeRed.shown(debugOf(flowOf("Margin call"), "To be paid"));
      moveRate("EURUSD", 1 / 2.25);
    },
    shows: { Settled: holding({ payload: null, topic: "accounts.watchMargin" }) },
    leaves: () => moveRate("EURUSD", 1.5),
  },
  "Quote and trade": { shows: { Booked: holding({ trade_id: anything }) } },
  "Limit order": {
    shows: {
      Ordered: holding({ release: words(/^R-/) }),
      "How it stands": holding({ state: "released" }),
      "Taken back": holding({ state: "cancelled" }),
    },
  },
  "Trades over HTTP": {},
  "Trade news": {
    event: bookTrade,
    shows: { Trade: holding({ payload: holding({ reference: "NEWS" }), topic: "trades.watch" }) },
  },
  "Pay a supplier": {
    event: async () => {
      const [href] = await nodeRed.shown(debugOf(flowOf("Pay a supplier"), "Authorise here"));
      expect(href).toMatch(/^http/);
      decideAll("refuse");
    },
    shows: { "What became of it": holding({ final: true, payments: listWith({ status: "RJCT" }) }) },
  },
  "Payment step by step": {
    shows: {
      "Authorise here": holding({ _links: anything }),
      "The payment": holding({ creditorName: "Ferme Duval SARL" }),
      Cancelled: holding({ statusCode: 204 }),
    },
  },
  "Bulk payment": {
    shows: { "The payments": holding({ payments: listWith({ creditorName: "Ferme Duval SARL" }) }) },
  },
  "Payment news": {
    variables: async () => {
      const { paymentId } = await sampleInput("payments.get", client);
      return { PAYMENTS: `payments/sepa-credit-transfers/${String(paymentId)}` };
    },
    event: async () => {
      await nodeRed.shown(debugOf(flowOf("Payment news"), "Payment"));
      decideAll("refuse");
    },
    shows: { Payment: holding({ status: "RJCT" }) },
  },
  "Open an account": {
    event: async () => {
      const pending = await eventually(
        async () =>
          (await client.accountDetails.list()).find(
            ({ country, status }) => country === "BE" && status === "pending",
          ),
        { withinMs: 5_000, what: "the request" },
      );
      sandbox.control.decideAccountDetails({
        account_details_id: pending.account_details_id,
        decision: "confirm",
      });
    },
    shows: { Account: holding({ status: "confirmed", requested: true }) },
  },
  "Account details": {
    shows: { Directory: listWith({ currency: "EUR", status: "confirmed" }), "Virtual account": anything },
  },
  "Account details that change": {
    event: async () =>
      client.accountDetails.updateAlias({
        ...(await sampleInput("accountDetails.makeDefault", client)),
        alias: "Renamed",
      } as Parameters<FxdeskClient["accountDetails"]["updateAlias"]>[0]),
    shows: { "Account details": holding({ payload: holding({ alias: "Renamed" }) }) },
  },
  "Accounts and funding": {
    shows: {
      "Funding account": anything,
      "The euro account": holding({ currency: "EUR" }),
      "Its balances": listWith({ type: "RequiredFunds" }),
    },
  },
  "Consent and read": {
    event: async () => {
      const [asked] = (await nodeRed.shown(
        debugOf(flowOf("Consent and read"), "Link, accounts, errors"),
      )) as [{ payload: { link: string } }];
      await approve(client, { href: asked.payload.link });
    },
    shows: {
      "Link, accounts, errors": holding({ payload: holding({ accounts: listWith({ balances: anything }) }) }),
    },
  },
  "Consent step by step": {
    shows: { "Agree here": anything, "What became of it": holding({ consentStatus: "received" }) },
  },
  "Open-banking position": {},
  "Consents that end": {
    variables: async () => ({ CONSENTS: await consent() }),
    event: ({ CONSENTS }) => client.consents.delete({ "consent-id": CONSENTS! }),
    shows: { Consent: holding({ status: "terminatedByTpp" }) },
  },
  Approvals: {
    shows: { "Groups and rules": holding({ groups: anything }), Settings: holding({ enabled: anything }) },
  },
  "Login page": {},
  "Check the service": { shows: { Differences: holding({ conforms: true }) } },
  "Any watch by its name": {
    event: bookTrade,
    shows: { Change: holding({ topic: "trades.watch", payload: anything }) },
  },
  "Tell the treasurer": {
    event: tellTreasurer,
    shows: { "To the treasurer": { message: "Cash is low." } },
  },
};

/** As an assistant calls the flow. */
async function tellTreasurer(): Promise<void> {
  const url = `${nodeRed.url}/mcp`;
  const assistant = await eventually(
    () => revisions["2026-07-28"].http(url, { authorization: `Bearer ${mcpToken}` }).catch(() => undefined),
    { withinMs: 10_000, what: "the MCP server" },
  );
  const told = await assistant.callTool({ name: "tell_treasurer", arguments: { message: "Cash is low." } });
  expect(textOf(told)).toBe("The treasurer was told.");
  await assistant.close();
}

const isCalling = (node: FlowNode) => node.type.startsWith("fxdesk-") && "wires" in node;

async function succeeded(nodes: Iterable<FlowNode>): Promise<void> {
  for (const { id, type } of [...nodes].filter(isCalling)) {
    const status = await nodeRed.status(id, ({ fill }) => fill !== "blue");
    expect([type, status.text, status.fill]).toEqual([type, status.text, "green"]);
  }
}

/** The nodes that a message of the node comes to. */
function behind(node: FlowNode, flow: readonly FlowNode[]): Set<FlowNode> {
  const found = new Set<FlowNode>([node]);
  for (const each of found) {
    const next = new Set(((each.wires ?? []) as string[][]).flat());
    for (const other of flow) if (next.has(other.id)) found.add(other);
  }
  return found;
}

test.each(examples)("%s", async (title, flow) => {
  const { variables, event, shows = {}, leaves } = expectations[title]!;
  const values = (await variables?.()) ?? {};
  await deploy(flow, values);

  for (const listening of byType(flow, "http in")) {
    const response = await requests[addressOf(listening)]!();
    expect([listening.url, response.ok]).toEqual([listening.url, true]);
  }
  await succeeded(flow.filter(isWatching));
  // What happens meanwhile may be what the nodes behind a button wait for.
  const happened = event?.(values);
  for (const inject of byType(flow, "inject")) {
    await nodeRed.inject(inject.id);
    if (!event) await succeeded(behind(inject, flow));
  }
  await happened;
  for (const [name, expected] of Object.entries(shows)) {
    const [value] = await nodeRed.shown(debugOf(flow, name));
    expect([name, value]).toEqual([name, expected]);
  }
  await leaves?.();
  await succeeded(flow);
});

const listening = examples.flatMap(([title, flow]) =>
  byType(flow, "http in").map((node) => [title, addressOf(node), flow, node] as const),
);

const callables = [...operations, ...procedures];

test.each(listening)("%s answers %s also when a call fails", async (_title, address, flow, start) => {
  const called = new Set([...behind(start, flow)].map(({ type }) => type));
  const failing = callables
    .filter((each) => called.has(nodeTypeOf(each)))
    .map((each) => operations.find(({ name }) => name === ("uses" in each ? each.uses[0] : each.name))!);
  expect(failing.length).toBeGreaterThan(0);
  for (const { name, errors } of failing.filter((each) => Object.keys(each.errors).length > 0)) {
    // Ends what the call before has left under way.
    await deploy(flow);
    const status = Number(Object.keys(errors)[0]);
    sandbox.force(name, status);
    const response = await requests[address]!();

    expect([name, response.status, await response.text()]).toEqual([name, status, words(/^\S+: /)]);
    expect(response.headers.get("content-type")).toContain("text/plain");
  }
});

test("without its module the example of a quote says what is missing", async () => {
  const flow = flowOf("Quote and trade");
  await deploy(flow, {}, bare);
  await bare.inject(byType(flow, "inject")[0]!.id);

  const [msg] = (await bare.shown(debugOf(flow, "Errors"))) as [Record<string, any>];
  expect(msg.error.message).toContain("quotes.create: The service has no such operation.");
  expect(msg.error.message).toContain("FXDESK_EXTENSIONS");
});

test("what the person agrees to is not deleted before they do", async () => {
  const flow = flowOf("Consent step by step");
  await deploy(flow);
  const [ask] = byType(flow, "inject");
  await nodeRed.inject(ask!.id);
  await succeeded(behind(ask!, flow));

  const [msg] = (await nodeRed.shown(debugOf(flow, "Agree here"))) as [Record<string, any>];
  const page = await fetch(new URL(msg.scaRedirect?.href ?? msg._links.scaRedirect.href, sandbox.xs2aUrl));
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<form");
});

test("the cash position has a row for each currency", async () => {
  await deploy(flowOf("Cash position"));

  const page = await (await nodeRed.request("/cash-position")).text();

  for (const currency of ["EUR", "GBP", "USD", "JPY"])
    expect(page).toMatch(new RegExp(`<td>${currency}</td><td>-?\\d`));
});

test("transactions are found over HTTP by what the request says", async () => {
  await deploy(flowOf("Search transactions over HTTP"));

  const found = (await (await requests["get /transactions"]!()).json()) as {
    transactions: { amount: string }[];
  };

  expect(found.transactions.length).toBeGreaterThan(0);
  for (const { amount } of found.transactions) expect(Number(amount)).toBeGreaterThanOrEqual(1000);
});

test("they go into one Node-RED, one after another, without a warning", async () => {
  const before = nodeRed.log.length;
  const imported: FlowNode[] = [exampleConnection];
  for (const [, flow] of examples) {
    imported.push(...setUp(flow, {}, ""));
    await nodeRed.deploy(imported, "nodes");
  }

  expect(nodeRed.log.slice(before).filter((line) => /\[(warn|error)\]/.test(line))).toEqual([]);
  const ids = imported.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
}, 60_000);

test("every node is in an example", () => {
  const types = new Set(examples.flatMap(([, flow]) => flow.map(({ type }) => type)));

  const all = [callType, watchType, ...[...callables, ...watches].map(nodeTypeOf)];
  expect(all.filter((type) => !types.has(type))).toEqual([]);
});

test("no example brings a connection or a secret, and all use the same connection", () => {
  const nodes = examples.flatMap(([, flow]) => flow);
  expect(byType(nodes, connectionType)).toEqual([]);
  const used = nodes.flatMap(({ connection = [] }) => connection as string | []);
  expect(new Set(used)).toEqual(new Set([exampleConnection.id]));
  expect(nodes.filter((node) => "credentials" in node)).toEqual([]);
  const text = JSON.stringify(nodes);
  for (const secret of [demo.accessToken, demo.apiKey]) expect(text).not.toContain(secret);
});

const flowsOf = (titles: readonly string[]) => titles.map((title) => [title, flowOf(title)] as const);

test.each(examples)("%s says what it does and what to set", (_title, flow) => {
  const [first] = byType(flow, "comment");

  expect(String(first!.name).length).toBeGreaterThan(20);
  expect(first!.info).toMatch(/^\*\*Set\*\* .+\n\nThe connection “From the environment” reads /);
  expect(byType(flow, "function")).toEqual([]);
});

/** What a user of such nodes wants first. */
const wanted = flowsOf([
  "Low balance",
  "MT940 of all accounts",
  "Quote and trade",
  "Each new transaction once",
  "Maturities",
  "Reconcile with a list",
  "Margin call",
  "Consent and read",
]);

/** A property of a message or of a context, such as payload.files[0].path. */
const property = /^[\w-]+(\.[\w-]+|\[\d+\])*$/;

/** Where the editor keeps how a value is to be read, and the value. */
const typedPairs = [
  ["type", "value"],
  ["pt", "p"],
  ["tot", "to"],
  ["vt", "v"],
  ["propertyType", "property"],
  ["payloadType", "payload"],
  ["filenameType", "filename"],
] as const;

/** Everything in a node that is read from somewhere: how, and what. */
function typedIn(value: unknown): [string, string][] {
  if (typeof value !== "object" || value === null) return [];
  const given = value as Readonly<Record<string, unknown>>;
  const own = typedPairs
    .filter(([type, text]) => typeof given[type] === "string" && typeof given[text] === "string")
    .map(([type, text]) => [String(given[type]), String(given[text])] as [string, string]);
  return [...own, ...Object.values(given).flatMap(typedIn)];
}

const fieldsNamed = (template: unknown) =>
  [...String(template ?? "").matchAll(/{{([^}]*)}}/g)].map(([, name]) => name!);

test.each(wanted)("%s takes at most six nodes, and no expression", (_title, flow) => {
  const nodes = flow.filter(({ type }) => type !== "tab" && type !== "comment");
  expect(nodes.length).toBeLessThanOrEqual(6);

  expect(byType(nodes, "function")).toEqual([]);
  const typed = nodes.flatMap(typedIn);
  expect(typed.filter(([type]) => type === "jsonata")).toEqual([]);
  const read = typed.filter(([type]) => ["msg", "flow", "global"].includes(type)).map(([, text]) => text);
  const named = nodes.flatMap(({ template }) => fieldsNamed(template));
  for (const name of [...read, ...named]) expect(name).toMatch(property);
});
