/** The example flows of the package run as they are, against the sandbox. */
import { readdirSync } from "node:fs";
import { operations } from "@fxdesk/toolkit/operations";
import { demo } from "@fxdesk/sandbox";
import { connectionType, exampleConnection, nodeTypeOf } from "../../nodes/shared/node-names";
import { procedures } from "../../core/procedures/all";
import { environmentFor } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";
import { recipeRuns } from "./support/recipe-runs";
import {
  httpAddressOf,
  nodesBehind,
  byType,
  debugNodeId,
  examples,
  findExample,
  ownTabPlacement,
} from "./support/recipes";
import { ExampleEnvironment } from "./support/example-environment";

let stage: ExampleEnvironment;
let runs: ReturnType<typeof recipeRuns>;

beforeAll(async () => {
  stage = await ExampleEnvironment.start(ownTabPlacement);
  runs = recipeRuns(stage);
}, 90_000);

const workingFolder = readdirSync(".");

test.each(examples)("%s", (title) => runs.run(title));

test("no example leaves a file in the working directory", () => {
  expect(readdirSync(".")).toEqual(workingFolder);
});

const listening = examples.flatMap(([title, flow]) =>
  byType(flow, "http in").map((node) => [title, httpAddressOf(node), flow, node] as const),
);

const callables = [...operations, ...procedures];

test.each(listening)("%s answers %s also when a call fails", async (_title, address, flow, start) => {
  const called = new Set([...nodesBehind(start, flow)].map(({ type }) => type));
  const failing = callables
    .filter((each) => called.has(nodeTypeOf(each)))
    .map((each) => operations.find(({ name }) => name === ("uses" in each ? each.uses[0] : each.name))!);
  expect(failing.length).toBeGreaterThan(0);
  for (const { name, errors } of failing.filter((each) => Object.keys(each.errors).length > 0)) {
    // Ends what the call before has left under way.
    await stage.deploy(flow);
    const status = Number(Object.keys(errors)[0]);
    stage.sandbox.force(name, status);
    const response = await runs.requests[address]!();

    expect([name, response.status, await response.text()]).toEqual([
      name,
      status,
      expect.stringMatching(/^\S+: /),
    ]);
    expect(response.headers.get("content-type")).toContain("text/plain");
  }
});

test("the quote example names the missing extension module", async () => {
  const flow = findExample("Quote and trade");
  const bare = await NodeRed.start({ env: environmentFor(stage.sandbox) });
  await bare.deploy([...flow, exampleConnection]);
  await bare.inject(byType(flow, "inject")[0]!.id);

  const [msg] = (await bare.nextDebugValues(debugNodeId(flow, "Errors"))) as [Record<string, any>];
  await bare.close();
  expect(msg.error.message).toContain("quotes.create: The service has no such operation.");
  expect(msg.error.message).toContain("FXDESK_EXTENSIONS");
});

test("does not delete a consent before the person has decided", async () => {
  const flow = findExample("Consent step by step");
  await stage.deploy(flow);
  const [ask] = byType(flow, "inject");
  await stage.inject(ask!);
  await stage.expectSucceeded(nodesBehind(ask!, flow));

  const msg = (await stage.nextDebugValue("Consent link")) as Record<string, any>;
  const page = await fetch(
    new URL(msg.scaRedirect?.href ?? msg._links.scaRedirect.href, stage.sandbox.xs2aUrl),
  );
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("<form");
});

test("all examples import into one Node-RED without a warning", async () => {
  const { nodeRed } = stage;
  const before = nodeRed.log.length;
  const imported: FlowNode[] = [exampleConnection];
  for (const [, flow] of examples) {
    imported.push(...stage.applySettings(flow, {}, ""));
    await nodeRed.deploy(imported, "nodes");
  }

  expect(nodeRed.log.slice(before).filter((line) => /\[(warn|error)\]/.test(line))).toEqual([]);
  const ids = imported.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
}, 60_000);

test("no example brings a connection or a secret, and all use the same connection", () => {
  const nodes = examples.flatMap(([, flow]) => flow);
  expect(byType(nodes, connectionType)).toEqual([]);
  const used = nodes.flatMap(({ connection = [] }) => connection as string | []);
  expect(new Set(used)).toEqual(new Set([exampleConnection.id]));
  expect(nodes.filter((node) => "credentials" in node)).toEqual([]);
  const text = JSON.stringify(nodes);
  for (const secret of [demo.accessToken, demo.apiKey]) expect(text).not.toContain(secret);
});

test.each(examples)("%s describes its purpose and settings", (_title, flow) => {
  const [first] = byType(flow, "comment");

  expect(String(first!.name).length).toBeGreaterThan(20);
  expect(first!.info).toMatch(/^\*\*Set\*\* .+\n\nThe connection “From the environment” reads /);
  expect(byType(flow, "function")).toEqual([]);
});

/** Examples that new users need first. */
const essentialExamples = [
  "Low balance",
  "MT940 of all accounts",
  "Quote and trade",
  "Each new transaction once",
  "Maturities",
  "Reconcile with a list",
  "Margin call",
  "Consent and read",
].map((title) => [title, findExample(title)] as const);

test.each(essentialExamples)("%s takes at most six nodes, and no expression", (_title, flow) => {
  const nodes = flow.filter(({ type }) => type !== "tab" && type !== "comment");
  expect(nodes.length).toBeLessThanOrEqual(6);
  expect(JSON.stringify(nodes)).not.toMatch(/"(function|jsonata)"/);
});
