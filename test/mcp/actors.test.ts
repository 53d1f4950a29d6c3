/** Several people on one server over HTTP: each authenticates with a personal token and is the requester of their calls. */
import { chmod, copyFile } from "node:fs/promises";
import { join } from "node:path";
import { serveHttp, type HttpServer } from "../../mcp";
import { createToken, revokeToken } from "../../core/releases/people";
import { openJournal } from "../../core/journal/journal";
import {
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
} from "../core/releases/release-fixture";
import { eventually } from "../support/eventually";
import { demoEnvironment, type McpClient, revisions, textOf } from "./support/clients";
import { McpProcess } from "./support/mcp-process";

let place: ReleaseFixture;
let people: string;
let server: HttpServer;
let tokens: Readonly<Record<"anna" | "bert", string>>;
const shared = "a-token-for-these-tests";
beforeAll(async () => {
  jest.spyOn(console, "error").mockImplementation();
  place = await createReleaseFixture();
  people = join(place.folder, "people-with-tokens.json");
  await copyFile(place.peoplePath, people);
  tokens = { anna: await createToken(people, "anna"), bert: await createToken(people, "bert") };
  server = await serveHttp({ client: place.client({ people }), ...offer, people, token: shared });
});
afterAll(async () => {
  await server.close();
  await place.close();
  jest.restoreAllMocks();
});

const offer = { toolsets: ["all"], allow: ["change", "money"] } as const;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const orderCall = () => {
  const { trade_type: _, ...rest } = sampleOrder();
  return { name: "order_trade", arguments: { ...rest } };
};
const releaseOf = async (client: McpClient) =>
  (await client.callTool(orderCall())).structuredContent as { release: string; state: string };

const status = async (token: string): Promise<number> => {
  const response = await fetch(server.url, {
    method: "POST",
    headers: {
      ...bearer(token),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  await response.text();
  return response.status;
};

describe.each([
  ["2026-07-28", "anna", "bert"],
  ["2025-11-25", "bert", "anna"],
] as const)("in %s", (revision, asker, other) => {
  const { http } = revisions[revision];

  test("refuses release by the requester and accepts it from another person", async () => {
    const desk = place.client({ people, actor: "desk" });
    const client = await http(server.url, bearer(tokens[asker]));
    const { release, state } = await releaseOf(client);
    const { asked_by, seal } = await desk.orders.get(release);
    expect([state, asked_by]).toEqual(["waiting", asker]);
    const yesOf = (person: string) =>
      desk.orders.decide(release, { person, secret: secretOf(person), decision: "release", seal });
    await expect(yesOf(asker)).rejects.toThrow(`${asker} requested ${release}`);
    expect(await yesOf(other)).toMatchObject({ state: "released" });
    const { journal_entry } = await eventually(
      async () => {
        const report = await desk.orders.get(release);
        return report.state === "booked" && report;
      },
      { withinMs: 15_000, what: "the trade" },
    );
    const journal = await openJournal(place.store);
    expect((await journal.get(journal_entry!))!.intent).toMatchObject({ actor: asker });
    await journal.close();
    await client.close();
  });
});

test("sends a released call for its requester only; each person can cancel it by name", async () => {
  const { http } = revisions["2026-07-28"];
  const [anna, bert] = [
    await http(server.url, bearer(tokens.anna)),
    await http(server.url, bearer(tokens.bert)),
  ];
  const booking = (key?: string) => ({
    name: "book_trade",
    arguments: { quote_id: "q-shared", reason: "other", ...(key && { request_key: key }) },
  });
  const hers = (await anna.callTool(booking("B-1"))).structuredContent as { release: string };
  await place.decide(hers.release, "bert");
  expect(textOf(await bert.callTool(booking("B-1")))).toContain(
    `belongs to another request, ${hers.release}`,
  );
  const his = (await bert.callTool(booking())).structuredContent as { release: string; state: string };
  expect(his.state).toBe("waiting");
  expect(his.release).not.toBe(hers.release);
  const cancelled = await bert.callTool({ name: "cancel_release", arguments: { release: hers.release } });
  expect(cancelled.structuredContent).toMatchObject({ state: "cancelled", remark: "Cancelled by bert." });
  await anna.close();
  await bert.close();
});

test("refuses unknown, removed and replaced tokens", async () => {
  const carl = await createToken(people, "carl");
  expect(await status(carl)).toBe(200);
  const second = await createToken(people, "carl");
  expect([await status(carl), await status(second)]).toEqual([401, 200]);
  await revokeToken(people, "carl");
  expect([await status(second), await status("another-unknown-token"), await status("")]).toEqual([
    401, 401, 401,
  ]);
  await expect(revokeToken(people, "carl")).rejects.toThrow("contains no token of carl");
});

test("accepts only the server's token while the people file is unsafe", async () => {
  await chmod(people, 0o644);
  try {
    expect([await status(tokens.anna), await status(shared)]).toEqual([503, 200]);
    expect(console.error).toHaveBeenLastCalledWith(expect.stringContaining("which other users can read"));
  } finally {
    await chmod(people, 0o600);
  }
  expect(await status(tokens.anna)).toBe(200);
});

test("allows money with tokens of people, but not with a people file without tokens", async () => {
  const served = await serveHttp({ client: place.client({ people }), ...offer, people });
  await served.close();
  await expect(serveHttp({ client: place.client(), ...offer, people: place.peoplePath })).rejects.toThrow(
    "Allowing change and money over HTTP requires a token",
  );
});

test("uses the people file of the connection in fxdesk mcp --http", async () => {
  const served = new McpProcess(["--http", "--allow", "money"], {
    ...demoEnvironment(place.sandbox),
    FXDESK_PEOPLE: people,
    FXDESK_STORE: place.store.location,
    FXDESK_STORE_KEY: place.store.key!.toString("base64"),
    FXDESK_POLICY: place.policyPath,
  });
  await served.until(() => served.err.includes("The MCP endpoint is"));
  const url = /http:\/\/\S+\/mcp/.exec(served.err)![0];
  const client = await revisions["2026-07-28"].http(url, bearer(tokens.anna));
  const asked = await client.callTool({
    name: "book_trade",
    arguments: { quote_id: "q-cli", reason: "other" },
  });
  const { release } = asked.structuredContent as { release: string };
  expect((await place.service.get(release)).release.sealed.asker).toBe("anna");
  await client.close();
  served.process.kill("SIGTERM");
  expect(await served.exit).toBe(0);
});
