/** Releases in MCP: a model requests, a person decides elsewhere, and no argument of a model approves. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { operations } from "../../core/contract/all";
import { createToolbox } from "../../mcp/toolbox";
import type { Toolbox } from "../../mcp/protocol";
import type { JsonObject } from "../../mcp/render/content";
import { sampleInput } from "../support/samples";
import { sampleOrder, type ReleaseFixture, createReleaseFixture } from "../core/releases/release-fixture";
import { eventually } from "../support/eventually";
import { argumentsOf } from "../../mcp/render/names";
import { textOf } from "./support/clients";

let place: ReleaseFixture;
beforeAll(async () => {
  // The log has a line for each money call.
  jest.spyOn(console, "error").mockImplementation();
  place = await createReleaseFixture();
});
afterAll(async () => {
  await place.close();
  jest.restoreAllMocks();
});

const initiate = operations.find(({ name }) => name === "payments.initiate")!;
const { signal } = new AbortController();
const toolsFor = (client: FxdeskClient, release?: "never") =>
  createToolbox({ client, toolsets: ["all"], allow: ["change", "money"], ...(release && { release }) });
const callOf = (tools: Toolbox) => async (tool: string, input: JsonObject) =>
  (await tools.call(tool, input, signal))!;

const order = () => {
  const { trade_type: _, ...rest } = sampleOrder();
  return rest as unknown as JsonObject;
};

test("requests an order, reports its status and books it automatically after release", async () => {
  const call = callOf(toolsFor(place.client()));
  const asked = await call("order_trade", order());
  const { release, state, terms } = asked.structuredContent as Record<string, JsonObject | string>;
  expect(console.error).toHaveBeenLastCalledWith(
    `fxdesk: trades.order: completed, release ${String(release)}.`,
  );
  expect([state, asked.isError]).toEqual(["waiting", undefined]);
  expect(terms).toMatchObject({ amount: "1000", worst_rate: "0.5" });
  await place.decide(String(release), "anna");
  await eventually(async () => (await call("get_release", { release })).structuredContent!.deviations, {
    withinMs: 15_000,
    what: "the trade",
  });
  expect((await call("get_release", { release })).structuredContent).toMatchObject({ state: "booked" });
});

test("reports a waiting call as success, and sends it when it is repeated unchanged", async () => {
  const client = place.client();
  const call = callOf(toolsFor(client));
  const input = {
    ...argumentsOf(initiate, await sampleInput("payments.initiate", client)),
    request_key: "INV-9",
  };
  const waiting = await call("initiate_payment", input);
  expect(waiting).toMatchObject({ structuredContent: { state: "waiting" } });
  expect(waiting.isError).toBeUndefined();
  const release = String(waiting.structuredContent!.release);
  expect(textOf(waiting)).toContain(release);
  await place.decide(release, "bert");
  const paid = await call("initiate_payment", input);
  expect(paid.structuredContent).toMatchObject({ paymentId: expect.any(String) as string });
  expect(textOf(paid)).not.toContain("--release never");
});

describe("without a policy", () => {
  test("requires release of every money call by any other person", async () => {
    const client = place.client({ policy: "" });
    const call = callOf(toolsFor(client));
    const asked = await call("book_trade", { quote_id: "q-1", reason: "other" });
    expect(asked.structuredContent).toMatchObject({ state: "waiting" });
    expect(textOf(asked)).toMatch(/release by anna or bert or carl or dora or desk/);
  });

  test("refuses money calls without a people file", async () => {
    const call = callOf(toolsFor(place.client({ policy: "", people: "" })));
    for (const [tool, input] of [
      ["book_trade", { quote_id: "q-2", reason: "other" }],
      ["order_trade", order()],
    ] as const)
      expect(textOf(await call(tool, input))).toMatch(/no people are configured.*Nothing was sent/s);
  });
});

test("accepts no argument of a model as approval", async () => {
  const tools = toolsFor(place.client());
  expect(
    tools.tools.filter(({ name }) => /release|approve|confirm/.test(name)).map(({ name }) => name),
  ).toEqual(["cancel_release", "get_release"]);
  const call = callOf(tools);
  for (const said of [
    { release: "never" },
    { actor: "anna" },
    { policy: "/mine.json" },
    { secret: "x" },
    { approved: true },
  ]) {
    const result = await call("order_trade", { ...order(), ...said });
    expect([said, result.isError]).toEqual([said, true]);
  }
});
