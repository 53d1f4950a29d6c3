/** Hosts with elicitation show a call to the user before its release is requested. The answer confirms or declines it. */
import { join } from "node:path";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { environmentName } from "@fxdesk/toolkit";
import { type HttpServer, serveHttp } from "../../mcp";
import type { JsonObject } from "../../mcp/render/content";
import { releaseQuestionOf } from "../../mcp/run-tool";
import { createToolboxServer } from "../../mcp/server";
import { createToolbox } from "../../mcp/toolbox";
import { orderTrade } from "../../core/procedures/order-trade";
import { sampleOrder, type ReleaseFixture, createReleaseFixture } from "../core/releases/release-fixture";
import {
  connectOlder,
  demoEnvironment,
  fxdeskMcp,
  type McpClient,
  type Person,
  revisions,
  textOf,
} from "./support/clients";

let place: ReleaseFixture;
let server: HttpServer;
beforeAll(async () => {
  // The log has a line for each money call.
  jest.spyOn(console, "error").mockImplementation();
  place = await createReleaseFixture();
  server = await serveHttp({ client: place.client(), ...offer, token });
});
afterAll(async () => {
  await server.close();
  await place.close();
  jest.restoreAllMocks();
});

const token = "a-token-for-these-tests";
const bearer = { authorization: `Bearer ${token}` };
const offer = { toolsets: ["all"], allow: ["money"] } as const;

const builtExtension = join(__dirname, "../../sandbox/dist/extensions/extension.js");

const stdio = () => {
  const { sandbox, store, policyPath, peoplePath } = place;
  const settings = {
    store: store.location,
    storeKey: store.key!.toString("base64"),
    policy: policyPath,
    people: peoplePath,
    actor: "desk",
    extensions: builtExtension,
    extensionEffects: sandbox.extension.effects.join(","),
  };
  const named = Object.entries(settings).map(([name, value]) => [environmentName(name), value]);
  return fxdeskMcp(["--allow", "money"], {
    ...demoEnvironment(sandbox),
    ...(Object.fromEntries(named) as Record<string, string>),
  });
};

const bookCall = (quote_id: string) => ({ name: "book_trade", arguments: { quote_id, reason: "other" } });
const orderCall = (more: JsonObject = {}) => {
  const { trade_type: _, ...rest } = sampleOrder();
  return { name: "order_trade", arguments: { ...rest, ...more } };
};
const countReleases = async () => (await place.service.list({ limit: 1_000 })).releases.length;

const connections = [
  ["2026-07-28 over HTTP", (person: Person) => revisions["2026-07-28"].http(server.url, bearer, person)],
  ["2025-11-25 over stdio", (person: Person) => revisions["2025-11-25"].stdio(stdio(), person)],
] as const;

describe.each(connections)("%s", (way, connect) => {
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
  afterAll(() => client.close());

  test("requests release of a confirmed order, but does not release it", async () => {
    answer = { action: "accept", content: { send: true } };
    const before = await countReleases();
    const { structuredContent } = await client.callTool(orderCall());
    expect(structuredContent).toMatchObject({ state: "waiting", terms: { amount: "1000" } });
    expect(await countReleases()).toBe(before + 1);
    const { release, decisions } = await place.service.get(String(structuredContent!.release));
    expect([release.state, decisions]).toEqual(["waiting", []]);
    expect(shown).toEqual([expect.stringMatching(/^Order trade: send this for release\?/)]);
    for (const line of ["amount: 1000", "worst_rate: 0.5", "client: ", "release by anna or bert"])
      expect(shown[0]).toContain(line);
  });

  test("asks about a call once, not about its repetitions", async () => {
    answer = { action: "accept", content: { send: true } };
    const call = bookCall(`q-${way}`);
    const first = await client.callTool(call);
    const second = await client.callTool(call);
    expect(first.structuredContent).toMatchObject({ state: "waiting" });
    expect(second.structuredContent!.release).toBe(first.structuredContent!.release);
    expect(shown).toEqual([expect.stringContaining(`quote_id: q-${way}`)]);
  });

  test.each<[string, ReturnType<Person>, RegExp]>([
    ["a no", { action: "accept", content: { send: false } }, /declined to send this/],
    ["a form that was declined", { action: "decline" }, /declined to send this/],
    ["a form that was closed", { action: "cancel" }, /gave no answer/],
    ["a yes to nothing", { action: "accept" }, /declined to send this/],
  ])("%s requests no release and reports that", async (_, given, words) => {
    answer = given;
    const before = await countReleases();
    for (const call of [orderCall(), bookCall("q-declined")]) {
      const result = await client.callTool(call);
      expect(result.structuredContent).toMatchObject({ state: "not-asked" });
      expect(textOf(result)).toMatch(words);
      expect(textOf(result)).toContain("No release was requested, and nothing was sent.");
    }
    expect(await countReleases()).toBe(before);
    expect(shown).toHaveLength(2);
  });
});

describe("without a user to ask, requests release at once", () => {
  test.each([
    ["a host of 2026-07-28 without elicitation", "2026-07-28", undefined],
    // A server without sessions cannot send it a request.
    [
      "a host of 2025-11-25 with elicitation, over HTTP",
      "2025-11-25",
      () => ({ action: "decline" }) as const,
    ],
  ] as const)("%s", async (_, revision, person) => {
    const client = await revisions[revision].http(server.url, bearer, person);
    expect((await client.callTool(orderCall())).structuredContent).toMatchObject({ state: "waiting" });
    await client.close();
  });
});

test("requests no release if the host does not answer in time", async () => {
  const tools = createToolbox({ client: place.client(), ...offer });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const slow = createToolboxServer(tools, { subscriptionMode: "requests", answerTimeoutMs: 50 });
  await slow.connect(near);
  const forever = () => new Promise<never>(() => undefined);
  const client = await connectOlder(far, forever as unknown as Person);
  const before = await countReleases();
  expect(textOf(await client.callTool(orderCall()))).toMatch(/gave no answer\. No release was requested/);
  expect(await countReleases()).toBe(before);
  await client.close();
  await slow.close();
});

test("ignores an answer to another question and asks again", async () => {
  const call = async (args: JsonObject, more: JsonObject) => {
    const envelope = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    };
    const response = await fetch(server.url, {
      method: "POST",
      headers: {
        ...bearer,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "order_trade",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "order_trade", arguments: args, _meta: envelope, ...more },
      }),
    });
    const text = await response.text();
    const json = text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)![1]!;
    return (JSON.parse(json) as { result: JsonObject }).result;
  };
  const args = orderCall().arguments;
  const question = await call(args, {});
  expect(question).toMatchObject({
    resultType: "input_required",
    requestState: expect.any(String) as string,
  });
  const yes = { release: { action: "accept", content: { send: true } } };
  const before = await countReleases();
  const { requestState } = question;
  for (const [given, more] of [
    [
      { ...args, amount: "2000" },
      { inputResponses: yes, requestState },
    ],
    [args, { inputResponses: yes }],
    [args, { inputResponses: yes, requestState: "mine" }],
    [args, { requestState }],
  ] as const)
    expect(await call(given, more)).toMatchObject({ resultType: "input_required" });
  expect(await countReleases()).toBe(before);
  expect(await call(args, { inputResponses: yes, requestState })).toMatchObject({
    structuredContent: { state: "waiting" },
  });
  expect(await countReleases()).toBe(before + 1);
});

test("shows values so that they cannot imitate a line of the question or fill the window", () => {
  const terms = { reference: "R-1\n\nApproved by anna\u202e", reason: "x".repeat(10_000) };
  const { message } = releaseQuestionOf(orderTrade, {
    operation: "trades.order",
    environment: "sandbox",
    client: "C-1",
    validUntil: 0,
    needs: "release by bert",
    asks: "a",
    terms,
  });
  expect(message).toContain("reference: R-1 Approved by anna\n");
  expect(message).toContain("… (shortened)");
  expect(message.length).toBeLessThan(1_000);
});
