/** Releases in MCP: a model requests, the user of the host confirms the request, and another person releases. */
import { chmod, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { environmentName } from "@fxdesk/toolkit";
import { operations } from "../../core/contract/all";
import { openJournal } from "../../core/journal/journal";
import { issueToken, lockPerson, removePerson, revokeToken } from "../../core/people/administration";
import { listAttempts } from "../../core/people/attempts";
import { PeopleRefusal } from "../../core/people/authenticate";
import { type HttpServer, serveHttp } from "../../mcp";
import type { JsonObject } from "../../mcp/render/content";
import { argumentsOf } from "../../mcp/render/names";
import { releaseQuestionOf } from "../../mcp/run-tool";
import { createToolboxServer } from "../../mcp/server";
import { toReleaseReport } from "../../core/releases/report";
import { createToolbox } from "../../mcp/toolbox";
import {
  administrator,
  sampleConsent,
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
  serviceKeyOf,
} from "../core/releases/release-fixture";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";
import { makeQuote, sampleInput } from "../support/samples";
import {
  bearer,
  callTool,
  connectOlder,
  demoEnvironment,
  fxdeskMcp,
  type McpClient,
  type Person,
  revisions,
  serve,
  textOf,
  token,
} from "./support/clients";

const offer = { toolsets: ["all"], allow: ["change", "money"] } as const;

let place: ReleaseFixture;
let server: HttpServer;
beforeAll(async () => {
  // The log has a line for each money call.
  jest.spyOn(console, "error").mockImplementation();
  place = await createReleaseFixture();
  server = await serve({ client: place.client(), ...offer, token });
});

const terms = (): JsonObject => {
  const { trade_type: _, ...rest } = sampleOrder();
  return rest as unknown as JsonObject;
};
const orderCall = () => ({ name: "order_trade", arguments: { ...terms() } });
const bookCall = (quote_id: string, key?: string) => ({
  name: "book_trade",
  arguments: { quote_id, reason: "other", ...(key && { request_key: key }) },
});
const countReleases = async () => (await place.service.list({ limit: 1_000 })).releases.length;
const within = { withinMs: 15_000, what: "the trade" };

const toolsFor = (options: Parameters<ReleaseFixture["client"]>[0] = {}) =>
  createToolbox({ client: place.client(options), ...offer });

describe("a model", () => {
  test("requests an order, reads its status, and the order is booked after release", async () => {
    const tools = toolsFor();
    const asked = await callTool(tools, "order_trade", terms());
    const release = String(asked.structuredContent!.release);
    expect(console.error).toHaveBeenLastCalledWith(`fxdesk: trades.order: completed, release ${release}.`);
    expect(asked.isError).toBeUndefined();
    expect(asked.structuredContent).toMatchObject({
      state: "waiting",
      terms: { amount: "1000", worst_rate: "0.5" },
    });
    await place.decide(release, "anna");
    const report = async () => (await callTool(tools, "get_release", { release })).structuredContent!;
    await eventually(async () => (await report()).deviations, within);
    expect(await report()).toMatchObject({ state: "booked" });
  });

  test("reports a waiting call as a success, and sends it when it is repeated unchanged", async () => {
    const client = place.client();
    const tools = createToolbox({ client, ...offer });
    const initiate = operations.find(({ name }) => name === "payments.initiate")!;
    const input = {
      ...argumentsOf(initiate, await sampleInput("payments.initiate", client)),
      request_key: "INV-9",
    };
    const waiting = await callTool(tools, "initiate_payment", input);
    expect(waiting).toMatchObject({ structuredContent: { state: "waiting" } });
    expect(waiting.isError).toBeUndefined();
    const release = String(waiting.structuredContent!.release);
    expect(textOf(waiting)).toContain(release);
    await place.decide(release, "bert");
    const paid = await callTool(tools, "initiate_payment", input);
    expect(paid.structuredContent).toMatchObject({ paymentId: expect.any(String) as string });
    expect(textOf(paid)).not.toContain("--release never");
  });

  test("is given the page where people release what waits, while it waits", async () => {
    const tools = toolsFor({ releasesPage: "https://releases.example.com/" });
    const asked = await callTool(tools, "order_trade", terms());
    const release = String(asked.structuredContent!.release);
    const link = `https://releases.example.com/releases/${release}`;
    expect(asked.structuredContent).toMatchObject({ releases_page: link });
    expect(textOf(await callTool(tools, "book_trade", bookCall("q-page").arguments))).toContain(
      "https://releases.example.com/releases/R-",
    );
    const cancelled = await callTool(tools, "cancel_release", { release });
    expect(cancelled.structuredContent).not.toHaveProperty("releases_page");
    for (const releasesPage of ["http://releases.example.com", "releases.example.com", "javascript:alert(1)"])
      expect(() => place.client({ releasesPage })).toThrow(TypeError);
  });

  test("needs any other person without a policy, and cannot request without people", async () => {
    const asked = await callTool(toolsFor({ policy: undefined }), "book_trade", bookCall("q-1").arguments);
    expect(asked.structuredContent).toMatchObject({ state: "waiting" });
    expect(textOf(asked)).toMatch(/release by anna or bert or carl or dora or desk/);
    const alone = toolsFor({ policy: undefined, people: undefined });
    for (const { name, arguments: input } of [bookCall("q-2"), orderCall()])
      expect(textOf(await callTool(alone, name, input))).toMatch(
        /no people are configured.*Nothing was sent/s,
      );
  });

  test("reads ID, rate and amounts of what was released from the journal", async () => {
    const tools = toolsFor();
    const { release } = (await callTool(tools, "order_trade", terms())).structuredContent!;
    await place.decide(String(release), "anna");
    const report = async () => (await callTool(tools, "get_release", { release })).structuredContent!;
    await eventually(async () => (await report()).deviations, within);
    const { trade_id, outcome, journal } = (await report()) as { trade_id: string } & JsonObject;
    expect([trade_id, outcome]).toEqual([expect.any(String), "done"]);
    expect(journal).toMatchObject({
      state: "done",
      id: trade_id,
      reference: expect.any(String) as string,
      result: {
        sell_amount: "1000",
        buy_amount: expect.stringMatching(/^\d+\.\d+$/) as string,
        rate: expect.stringMatching(/^\d\.\d+$/) as string,
        rate_symbol: "EURUSD",
      },
    });
    for (const search of [
      { id: trade_id },
      { release: String(release) },
      { reference: String((journal as JsonObject).reference) },
    ]) {
      const found = (await callTool(tools, "find_outcome", search)).structuredContent!;
      expect([search, found.outcomes]).toEqual([
        search,
        [expect.objectContaining({ id: trade_id, state: "done" })],
      ]);
    }
  });

  describe("with a used quote", () => {
    let quote_id: string;
    let trade: string;
    beforeAll(async () => {
      const client = place.client();
      quote_id = await makeQuote(client);
      const tools = createToolbox({ client, ...offer });
      const call = bookCall(quote_id, "bk-1").arguments;
      const { release } = (await callTool(tools, "book_trade", call)).structuredContent!;
      await place.decide(String(release), "anna");
      trade = String((await callTool(tools, "book_trade", call)).structuredContent!.trade_id);
      expect(trade).toMatch(/^TR/);
    });

    test.each<[string, JsonObject]>([
      ["without its key", {}],
      ["with another key", { request_key: "bk-2" }],
      ["with other terms", { reason: "travel_costs" }],
      ["with other terms and another key", { reason: "travel_costs", request_key: "bk-3" }],
      ["with other terms and its key", { reason: "travel_costs", request_key: "bk-1" }],
    ])("in another process, %s, learns the trade and requests nothing", async (_, more) => {
      const before = await countReleases();
      const again = await callTool(toolsFor(), "book_trade", { ...bookCall(quote_id).arguments, ...more });
      const { trade_id, earlier } = again.structuredContent as { trade_id?: string; earlier?: JsonObject };
      expect([trade_id ?? earlier!.id, again.isError]).toEqual([trade, "reason" in more ? true : undefined]);
      expect(textOf(again)).toContain(trade);
      expect(textOf(again)).not.toContain("not carried out.");
      expect(await countReleases()).toBe(before);
    });

    test("cannot cancel a sent release, and gets its outcome", async () => {
      const tools = toolsFor();
      const { releases } = (await callTool(tools, "list_releases", { states: ["sent"] }))
        .structuredContent as {
        releases: readonly JsonObject[];
      };
      const { release } = releases.find(({ operation }) => operation === "trades.book")!;
      const refused = await callTool(tools, "cancel_release", { release });
      expect(refused).toMatchObject({
        isError: true,
        structuredContent: { earlier: { id: trade, state: "done" } },
      });
    });

    test("finds the outcome by quote, key, entry and day, and others do not", async () => {
      const tools = toolsFor();
      const find = async (search: JsonObject, from = tools) =>
        (await callTool(from, "find_outcome", search)).structuredContent!.outcomes as JsonObject[];
      const [found] = await find({ quote: quote_id });
      expect(found).toMatchObject({ id: trade, state: "done", operation: "trades.book", key: "bk-1" });
      const day = String(found!.at).slice(0, 10);
      for (const search of [
        { key: "bk-1" },
        { entry: found!.journal_entry },
        { day, quote: quote_id },
        { day, id: trade },
      ])
        expect(await find(search as JsonObject)).toEqual([found]);
      expect(await find({ day: "2020-01-01" })).toEqual([]);
      expect(await find({ quote: quote_id }, toolsFor({ as: "carl", serviceKey: undefined }))).toEqual([]);
    });
  });

  test("never requests a second release of a quote, and learns the first", async () => {
    const quote = "q-open";
    const first = (await callTool(toolsFor(), "book_trade", bookCall(quote, "w-1").arguments))
      .structuredContent!;
    const other = await callTool(toolsFor(), "book_trade", bookCall(quote, "w-2").arguments);
    expect(other.structuredContent).toMatchObject({ state: "waiting", release: first.release });
    const changed = { ...bookCall(quote).arguments, reason: "travel_costs" };
    const refused = await callTool(toolsFor(), "book_trade", changed);
    expect(refused).toMatchObject({
      isError: true,
      structuredContent: { earlier: { state: "waiting", release: first.release } },
    });
    const byCarl = await callTool(toolsFor({ as: "carl", serviceKey: undefined }), "book_trade", changed);
    expect([byCarl.isError, byCarl.structuredContent]).toEqual([true, undefined]);
    expect(textOf(byCarl)).not.toContain(String(first.release));
    const waiting = (await callTool(toolsFor(), "list_releases", {})).structuredContent!
      .releases as JsonObject[];
    expect(waiting).toContainEqual(expect.objectContaining({ release: first.release, state: "waiting" }));
    expect((await callTool(toolsFor(), "find_outcome", { quote })).structuredContent!.outcomes).toEqual([
      expect.objectContaining({ state: "waiting", release: first.release }),
    ]);
  });

  test("cannot approve by an argument", async () => {
    const tools = toolsFor();
    const names = tools.tools.map(({ name }) => name);
    expect(names.filter((name) => /release|approve|confirm/.test(name))).toEqual([
      "cancel_release",
      "get_release",
      "list_releases",
    ]);
    for (const said of [
      { release: "never" },
      { actor: "anna" },
      { policy: "/mine.json" },
      { secret: "x" },
      { approved: true },
    ]) {
      const result = await callTool(tools, "order_trade", { ...terms(), ...said });
      expect([said, result.isError]).toEqual([said, true]);
    }
  });
});

/** `fxdesk mcp` on the fixture, as a host starts it. */
const stdio = (more: Record<string, string> = {}) => {
  const { sandbox, store, policyPath, peoplePath } = place;
  const settings = {
    ...more,
    store: store.location,
    storeKey: store.key!.toString("base64"),
    policy: policyPath,
    people: peoplePath,
    serviceKey: serviceKeyOf("desk"),
    extensions: join(__dirname, "../../sandbox/dist/extensions/extension.js"),
    extensionEffects: sandbox.extension.effects.join(","),
  };
  const named = Object.entries(settings).map(([name, value]) => [environmentName(name), value]);
  return fxdeskMcp(["--allow", "change,money"], {
    ...demoEnvironment(sandbox),
    ...(Object.fromEntries(named) as Record<string, string>),
  });
};

const connections = [
  ["2026-07-28 over HTTP", (person: Person) => revisions["2026-07-28"].http(server.url, bearer(), person)],
  ["2025-11-25 over stdio", (person: Person) => revisions["2025-11-25"].stdio(stdio(), person)],
] as const;

describe.each(connections)("the user of a host of %s", (way, connect) => {
  let client: McpClient;
  let answer: ReturnType<Person>;
  const shown: string[] = [];
  beforeAll(async () => {
    client = await connect((message) => {
      shown.push(message);
      return answer;
    });
  });
  beforeEach(() => shown.splice(0));

  test("confirms the request of an order, which does not release it", async () => {
    answer = { action: "accept", content: { send: true } };
    const before = await countReleases();
    const { structuredContent } = await client.callTool(orderCall());
    expect(structuredContent).toMatchObject({ state: "waiting", terms: { amount: "1000" } });
    expect(await countReleases()).toBe(before + 1);
    const { release, decisions } = await place.service.get(String(structuredContent!.release));
    expect([release.state, decisions]).toEqual(["waiting", []]);
    expect(shown).toEqual([expect.stringMatching(/^Send this for release\? Sell 1,000 EUR, get USD/)]);
    for (const line of ["Amount: 1000", "Worst rate: 0.5", "Client: ", "release by anna or bert"])
      expect(shown[0]).toContain(line);
  });

  test("is asked about a call once, not about its repetitions", async () => {
    answer = { action: "accept", content: { send: true } };
    const call = bookCall(`q-${way}`);
    const first = await client.callTool(call);
    const second = await client.callTool(call);
    expect(first.structuredContent).toMatchObject({ state: "waiting" });
    expect(second.structuredContent!.release).toBe(first.structuredContent!.release);
    expect(shown).toEqual([expect.stringContaining(`Quote ID: q-${way}`)]);
  });

  test.each<[string, ReturnType<Person>]>([
    ["a no", { action: "accept", content: { send: false } }],
    ["a form that was declined", { action: "decline" }],
    ["a form that was closed", { action: "cancel" }],
    ["a yes to nothing", { action: "accept" }],
  ])("prevents the request by %s", async (_, given) => {
    answer = given;
    const before = await countReleases();
    for (const call of [orderCall(), bookCall("q-declined")]) {
      const result = await client.callTool(call);
      expect(result.structuredContent).toMatchObject({ state: "not-requested" });
      expect(textOf(result)).toContain("No release was requested, and nothing was sent.");
    }
    expect(await countReleases()).toBe(before);
    expect(shown).toHaveLength(2);
  });
});

const releasesPage = "https://desk.example/fx";

/** Ways to hosts that show links, and whether the result waits until the user has seen the link. */
const linkConnections = [
  [
    "2026-07-28 over HTTP",
    async (person: Person, modes: { url: {} }) => {
      const { url } = await serve({ client: place.client({ releasesPage }), ...offer, token });
      return revisions["2026-07-28"].http(url, bearer(), person, modes);
    },
    true,
  ],
  [
    "2026-07-28 over stdio",
    (person: Person, modes: { url: {} }) =>
      revisions["2026-07-28"].stdio(stdio({ releasesPage }), person, modes),
    true,
  ],
  [
    "2025-11-25 over stdio",
    (person: Person, modes: { url: {} }) =>
      revisions["2025-11-25"].stdio(stdio({ releasesPage }), person, modes),
    false,
  ],
] as const;

describe.each(linkConnections)("a host of %s that shows links", (way, connect, isFirst) => {
  const shown: Readonly<Record<string, unknown>>[] = [];
  let answer: () => unknown;
  let client: McpClient;
  beforeAll(async () => {
    const person = (_message: string, params: Readonly<Record<string, unknown>>) => {
      shown.push(params);
      return answer();
    };
    client = await connect(person as Person, { url: {} });
  });
  beforeEach(() => shown.splice(0));
  const untilShown = () => eventually(() => shown.length > 0, { ...within, what: "the link" });

  const answers = {
    accept: () => ({ action: "accept" }),
    decline: () => ({ action: "decline" }),
    cancel: () => ({ action: "cancel" }),
    // The host asks before it repeats the call; otherwise nothing waits for the user.
    ...(!isFirst && { nothing: () => new Promise(() => undefined) }),
  };

  test.each(Object.entries(answers))("gets the result, and shows its page once: %s", async (name, given) => {
    answer = given;
    const before = await countReleases();
    for (const call of [orderCall(), bookCall(`q-link-${way}-${name}`)]) {
      shown.splice(0);
      const { structuredContent } = await client.callTool(call);
      expect(structuredContent).toMatchObject({ state: "waiting" });
      await untilShown();
      const url = `${releasesPage}/releases/${String(structuredContent!.release)}`;
      expect(shown).toMatchObject([{ mode: "url", url }]);
    }
    const again = await client.callTool(bookCall(`q-link-${way}-${name}`));
    expect(again.structuredContent).toMatchObject({ state: "waiting" });
    expect([shown.length, await countReleases()]).toEqual([1, before + 2]);
  });

  test("gets the link of a bank, and the call is made once", async () => {
    answer = answers.accept;
    const before = place.sandbox.requests.length;
    const consent = operations.find(({ name }) => name === "consents.create")!;
    const { structuredContent } = await client.callTool({
      name: consent.tool,
      arguments: argumentsOf(consent, sampleConsent as unknown as JsonObject) as Record<string, unknown>,
    });
    await untilShown();
    const { href } = (structuredContent!._links as { scaRedirect: { href: string } }).scaRedirect;
    expect(shown).toMatchObject([{ mode: "url", url: href }]);
    const made = place.sandbox.requests.slice(before).filter(({ method }) => method === "POST");
    expect(made.map(({ url }) => url)).toEqual(["/v1/consents"]);
  });

  test("is not shown the page that a reading tool returns", async () => {
    const asked = await callTool(toolsFor(), "order_trade", terms());
    const { release } = asked.structuredContent!;
    const { structuredContent } = await client.callTool({ name: "get_release", arguments: { release } });
    expect(structuredContent).toMatchObject({ state: "waiting", releases_page: expect.any(String) });
    expect(shown).toEqual([]);
  });
});

test.each(["2026-07-28", "2025-11-25"] as const)(
  "a host of %s that shows only forms gets the same result as before",
  async (revision) => {
    const shown: unknown[] = [];
    const person: Person = (_message, { mode }) => {
      shown.push(mode ?? "form");
      return { action: "accept", content: { send: true } };
    };
    const client = await revisions[revision].stdio(stdio({ releasesPage }), person, { form: {} });
    const { structuredContent } = await client.callTool(bookCall(`q-form-${revision}`));
    expect(structuredContent).toEqual({
      release: expect.any(String),
      state: "waiting",
      description: expect.stringContaining(releasesPage),
    });
    expect(shown).toEqual(["form"]);
  },
);

describe("the question to the user", () => {
  // A server without sessions cannot send a request to a host of 2025-11-25.
  test.each([
    ["2026-07-28 without elicitation", "2026-07-28", undefined],
    ["2025-11-25 with elicitation, over HTTP", "2025-11-25", () => ({ action: "decline" }) as const],
  ] as const)("is skipped for a host of %s", async (_, revision, person) => {
    const client = await revisions[revision].http(server.url, bearer(), person);
    expect((await client.callTool(orderCall())).structuredContent).toMatchObject({ state: "waiting" });
  });

  test("prevents the request if the host does not answer in time", async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const slow = createToolboxServer(toolsFor(), { subscriptionMode: "requests", answerTimeoutMs: 50 });
    await closeLater(slow).connect(near);
    const forever = () => new Promise<never>(() => undefined);
    const client = await connectOlder(far, forever as unknown as Person);
    const before = await countReleases();
    expect(textOf(await client.callTool(orderCall()))).toMatch(/gave no answer\. No release was requested/);
    expect(await countReleases()).toBe(before);
  });

  test("is asked again if the answer belongs to another one", async () => {
    const call = async (args: JsonObject, more: JsonObject) => {
      const envelope = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
      };
      const params = { name: "order_trade", arguments: args, _meta: envelope, ...more };
      const text = await (
        await post(token, "tools/call", params, {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": "tools/call",
          "mcp-name": "order_trade",
        })
      ).text();
      const json = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!;
      return (JSON.parse(json) as { result: JsonObject }).result;
    };
    const args = terms();
    const { resultType, requestState } = await call(args, {});
    expect([resultType, requestState]).toEqual(["input_required", expect.any(String)]);
    const inputResponses = { release: { action: "accept", content: { send: true } } };
    const before = await countReleases();
    for (const [given, more] of [
      [
        { ...args, amount: "2000" },
        { inputResponses, requestState },
      ],
      [args, { inputResponses }],
      [args, { inputResponses, requestState: "mine" }],
      [args, { requestState }],
    ] as const)
      expect(await call(given, more as JsonObject)).toMatchObject({ resultType: "input_required" });
    expect(await countReleases()).toBe(before);
    expect(await call(args, { inputResponses, requestState } as JsonObject)).toMatchObject({
      structuredContent: { state: "waiting" },
    });
    expect(await countReleases()).toBe(before + 1);
  });

  test("shows values so that they cannot imitate a line of it or fill the window", () => {
    const { message } = releaseQuestionOf({
      operation: "trades.order",
      environment: "sandbox",
      client: "C-1",
      validUntil: 0,
      needs: "release by bert",
      requestHash: "a",
      terms: {},
      description: {
        title: "Sell",
        summary: "2 payments",
        facts: [
          ["Reference", "R-1\n\nApproved by \u0430nna\u202e"],
          ["Reason", "x".repeat(10_000)],
        ],
        tables: [
          { title: "Payments", columns: ["Payee"], rows: Array.from({ length: 300 }, () => ["ACME\n2."]) },
          { title: "Transfers", columns: ["Payee", "Account"], rows: [["ACME | DE1", ""]] },
        ],
      },
    });
    expect(message).toContain(
      "Reference: R-1 Approved by \u0430nna<U+202E> (mixes alphabets: <U+0430>nna)\n",
    );
    expect(message).toContain("… (shortened)");
    expect(message).toContain("1. ACME 2.\n2. ACME 2.\n");
    expect(message).toContain("and 280 more");
    expect(message).toContain('1. "ACME | DE1" | –');
    expect(message.length).toBeLessThan(1_500);
  });
});

/** Posts a JSON-RPC request. */
const post = (
  presented: string,
  method: string,
  params: object = {},
  headers: Record<string, string> = {},
  url = server.url,
) =>
  fetch(url, {
    method: "POST",
    headers: {
      ...bearer(presented),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });

describe("several people on one server over HTTP, each with a token", () => {
  let people: string;
  let ofPeople: HttpServer;
  let tokens: Readonly<Record<"anna" | "bert", string>>;
  beforeAll(async () => {
    people = join(place.folder, "people-with-tokens.json");
    await copyFile(place.peoplePath, people);
    tokens = {
      anna: (await issueToken(people, "anna", administrator)).token,
      bert: (await issueToken(people, "bert", administrator)).token,
    };
    ofPeople = await serve({ client: place.client({ people }), ...offer, people, token });
  });

  const status = async (presented: string): Promise<number> =>
    (await post(presented, "tools/list", {}, {}, ofPeople.url)).status;

  test.each([
    ["2026-07-28", "anna", "bert"],
    ["2025-11-25", "bert", "anna"],
  ] as const)("in %s, %s cannot release their own request and %s can", async (revision, requester, other) => {
    const desk = place.client({ people });
    const client = await revisions[revision].http(ofPeople.url, bearer(tokens[requester]));
    const asked = (await client.callTool(orderCall())).structuredContent as { release: string };
    const find = async () => toReleaseReport((await place.service.get(asked.release)).release);
    const { requested_by, seal, state } = await find();
    expect([state, requested_by]).toEqual(["waiting", requester]);
    const yesOf = (person: string) =>
      desk.orders.decide(asked.release, { person, secret: secretOf(person), decision: "release", seal });
    await expect(yesOf(requester)).rejects.toThrow(`${requester} requested ${asked.release}`);
    expect(await yesOf(other)).toMatchObject({ state: "released" });
    const { journal_entry } = await eventually(async () => {
      const report = await find();
      return report.state === "booked" && report;
    }, within);
    const journal = closeLater(await openJournal(place.store));
    expect((await journal.get(journal_entry!))!.intent).toMatchObject({ actor: requester });
  });

  test("a watch has a position for each person", async () => {
    const { http } = revisions["2026-07-28"];
    const [anna, bert] = [
      await http(ofPeople.url, bearer(tokens.anna)),
      await http(ofPeople.url, bearer(tokens.bert)),
    ];
    const watch = async (client: McpClient, more: object = {}) =>
      client.callTool({ name: "watch_balances", arguments: { currencies: "EUR", above: "0", ...more } });
    const { count, cursor } = (await watch(anna)).structuredContent as { count: number; cursor: string };
    expect(count).toBeGreaterThan(0);
    expect((await watch(anna, { cursor })).structuredContent).toMatchObject({ count: 0 });
    expect((await watch(bert)).structuredContent).toMatchObject({ count });
    expect((await watch(bert, { cursor })).isError).toBe(true);
  });

  test("a request is sent for its requester only, and others neither see nor cancel it", async () => {
    const { http } = revisions["2026-07-28"];
    const [anna, bert] = [
      await http(ofPeople.url, bearer(tokens.anna)),
      await http(ofPeople.url, bearer(tokens.bert)),
    ];
    const hers = (await anna.callTool(bookCall("q-shared", "B-1"))).structuredContent!;
    const release = String(hers.release);
    await place.decide(release, "bert");
    expect(textOf(await bert.callTool(bookCall("q-shared", "B-1")))).toMatch(
      /belongs to another request, which is released/,
    );
    const his = await bert.callTool(bookCall("q-shared"));
    expect([his.isError, his.structuredContent]).toEqual([true, undefined]);
    expect(textOf(his)).not.toContain(release);
    const waiting = (await anna.callTool(bookCall("q-waiting"))).structuredContent!;
    const input = { release: String(waiting.release) };
    for (const name of ["get_release", "cancel_release"]) {
      expect((await bert.callTool({ name, arguments: input })).isError).toBe(true);
      const { structuredContent } = await anna.callTool({ name, arguments: input });
      expect(structuredContent).toMatchObject({ release: waiting.release });
    }
    expect((await place.service.get(input.release)).release).toMatchObject({
      state: "cancelled",
      progress: { remark: "Cancelled by anna." },
    });
  });

  test("a stored file and the rest of a list belong to the person who read them", async () => {
    const { http } = revisions["2026-07-28"];
    const [anna, bert] = [
      await http(ofPeople.url, bearer(tokens.anna)),
      await http(ofPeople.url, bearer(tokens.bert)),
    ];
    const statements = { name: "fetch_statements", arguments: { format: "mt940" } };
    const { files } = (await anna.callTool(statements)).structuredContent as { files: { uri: string }[] };
    const { uri } = files[0]!;
    expect((await anna.readResource({ uri })).contents).toHaveLength(1);
    await expect(bert.readResource({ uri })).rejects.toThrow("Unknown or expired");
    const csv = `reference,amount,currency\n${"INV-0,12.50,EUR\n".repeat(400)}`;
    const name = "reconcile_transactions";
    const { next } = (await anna.callTool({ name, arguments: { items_csv: csv } })).structuredContent as {
      next: Record<string, unknown>;
    };
    expect((await bert.callTool({ name, arguments: next })).isError).toBe(true);
    expect((await anna.callTool({ name, arguments: next })).isError).toBeUndefined();
  });

  test("unknown, removed and replaced tokens are refused", async () => {
    const create = async (person: string) => (await issueToken(people, person, administrator)).token;
    const carl = await create("carl");
    expect(await status(carl)).toBe(200);
    const second = await create("carl");
    expect([await status(carl), await status(second)]).toEqual([401, 200]);
    await revokeToken(people, "carl", administrator);
    for (const refused of [second, "another-unknown-token", ""]) expect(await status(refused)).toBe(401);
    await expect(revokeToken(people, "carl", administrator)).rejects.toThrow(PeopleRefusal);
  });

  test.each([
    ["locked", "carl", lockPerson],
    ["removed", "dora", removePerson],
  ])("the token of a %s person is refused at once", async (_, person, end) => {
    const { token: presented } = await issueToken(people, person, administrator);
    expect(await status(presented)).toBe(200);
    await end(people, person, administrator);
    expect([401, 429]).toContain(await status(presented));
  });

  test("wrong tokens are recorded and must wait, right ones never", async () => {
    await copyFile(people, `${people}.copy`);
    const guarded = await serve({
      client: place.client({ people }),
      ...offer,
      people: `${people}.copy`,
      token,
    });
    const guess = async (presented: string) =>
      (await post(presented, "tools/list", {}, {}, guarded.url)).status;
    const statuses = [];
    for (let count = 0; count < 7; count += 1) statuses.push(await guess(`a-wrong-token-${count}`));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect([await guess(tokens.anna), await guess(token)]).toEqual([200, 200]);
    expect(await listAttempts(`${people}.copy`)).toHaveLength(5);
  });

  test("only the server's token counts while the people file is unsafe", async () => {
    await chmod(people, 0o644);
    try {
      expect([await status(tokens.anna), await status(token)]).toEqual([503, 200]);
      expect(console.error).toHaveBeenLastCalledWith(expect.stringContaining("can be read by other users"));
    } finally {
      await chmod(people, 0o600);
    }
    expect(await status(tokens.anna)).toBe(200);
  });

  test("money is allowed with tokens of people, but not with a people file without tokens", async () => {
    await serve({ client: place.client({ people }), ...offer, people });
    await expect(serveHttp({ client: place.client(), ...offer, people: place.peoplePath })).rejects.toThrow(
      "Allowing change and money over HTTP requires a token",
    );
  });
});
