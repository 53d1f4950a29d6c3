/**
 * Two MCP servers on one PostgreSQL: orders are requested on one, released on the command line, booked by either, and
 * reported by both. One is killed meanwhile. FXDESK_RUNS sets the number of orders.
 */
import { join } from "node:path";
import { environmentName } from "@fxdesk/toolkit";
import type { JsonObject } from "../../mcp/render/content";
import { runFxdesk } from "../cli/run-command";
import {
  sampleOrder,
  type ReleaseFixture,
  createReleaseFixture,
  people,
  secretOf,
  serviceKeyOf,
} from "../core/releases/release-fixture";
import { startPostgres } from "../core/store/engines";
import { demoEnvironment, fxdeskMcp, type McpClient, revisions, textOf } from "../mcp/support/clients";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";
import { sampleInput } from "../support/samples";

const runs = Number(process.env.FXDESK_RUNS ?? 20);
const builtExtension = join(__dirname, "../../sandbox/dist/extensions/extension.js");

let place: ReleaseFixture;
let variables: Record<string, string>;
let servers: McpClient[];

const startServer = () => revisions["2026-07-28"].stdio(fxdeskMcp(["--allow", "money"], variables));

beforeAll(async () => {
  const postgres = closeLater(await startPostgres());
  place = await createReleaseFixture({ store: await postgres.create() });
  const settings = {
    store: place.store.location,
    storeKey: place.store.key!.toString("base64"),
    serviceKey: serviceKeyOf("desk"),
    policy: place.policyPath,
    people: place.peoplePath,
    extensions: builtExtension,
    extensionEffects: place.sandbox.extension.effects.join(","),
  };
  const ours = Object.entries(settings).map(([name, value]) => [environmentName(name), value] as const);
  variables = { ...demoEnvironment(place.sandbox), ...Object.fromEntries(ours) };
  servers = await Promise.all([startServer(), startServer()]);
}, 120_000);

afterAll(() => Promise.all(servers.map((server) => server.close())), 60_000);

async function structured(server: McpClient, name: string, input: object): Promise<JsonObject> {
  const result = await server.callTool({ name, arguments: { ...input } });
  if (result.isError) throw new Error(textOf(result));
  return result.structuredContent!;
}

const tradesOf = async () => {
  const ids: string[] = [];
  for await (const { trade_id: id } of place.client().trades.list.all()) ids.push(id);
  return ids;
};

test(`books ${runs} orders once each on either server, and both report them`, async () => {
  const before = new Set(await tradesOf());
  const asked: string[] = [];
  for (let index = 0; index < runs; index += 1) {
    const { trade_type: _, ...order } = sampleOrder({ amount: String(1_000 + index) });
    const { release, state } = await structured(servers[index % 2]!, "order_trade", order);
    expect(state).toBe("waiting");
    asked.push(String(release));
  }
  for (const [index, id] of asked.entries()) {
    if (index === Math.floor(runs / 2)) {
      await servers[0]!.close();
      servers[0] = await startServer();
    }
    const said = await runFxdesk(["releases", "release", id, "--as", "anna"], {
      variables,
      input: `${secretOf("anna")}\n`,
    });
    expect(said).toMatchObject({ code: 0, stdout: `${id} is released.\n` });
  }
  const seenBy = (server: McpClient) =>
    Promise.all(asked.map((release) => structured(server, "get_release", { release })));
  await eventually(async () => (await seenBy(servers[1]!)).every(({ deviations }) => deviations), {
    withinMs: 60_000,
    what: "all trades",
  });
  const [one, other] = await Promise.all(servers.map(seenBy));
  expect(one).toEqual(other);
  expect(one!.map(({ state, deviations }) => [state, deviations])).toEqual(asked.map(() => ["booked", []]));
  const made = (await tradesOf()).filter((id) => !before.has(id));
  expect(new Set(one!.map(({ trade_id: id }) => id))).toEqual(new Set(made));
  expect(made).toHaveLength(runs);
}, 300_000);

test("sends nothing while the clock of the store differs from that of the machine", async () => {
  await place.setPolicy({
    people: [...people],
    amounts: { currency: "EUR" },
    limits: { perDay: "1000" },
  });
  const client = place.client();
  const payment = (await sampleInput("payments.initiate", client)) as never;
  const now = Date.now.bind(Date);
  const clock = jest.spyOn(Date, "now").mockImplementation(() => now() + 20 * 60_000);
  await expect(client.payments.initiate(payment)).rejects.toMatchObject({
    code: "release_refused",
    outcome: "not-sent",
  });
  clock.mockRestore();
  expect(await client.payments.initiate(payment)).toMatchObject({ paymentId: expect.any(String) as string });
});
