/** The check that a form and a deploy request finds what a call with the same fields finds, for random fillings of every node. */
import type { EventEmitter } from "node:events";
import * as fc from "fast-check";
import type { NodeAPI } from "node-red";
import helper from "node-red-node-test-helper";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { callerFields, type Values } from "../../core/spec/fields";
import type { Callable } from "../../core/spec/operation";
import { callablesOf } from "../../core/spec/service";
import { connectionCredentials } from "../../nodes/connection/connection-node";
import { nodeTypes } from "../../nodes/node-types";
import { nodeTypeOf } from "../../nodes/shared/node-names";
import type { TypedValue } from "../../nodes/shared/typed-values";
import { eventually } from "../support/eventually";
import { faultServer, respond } from "../support/fault-server";
import { closeLater, runLater } from "../support/resources";
import { sampleInput } from "../support/samples";
import { openClient, openSandbox } from "../support/sandboxes";
import { typed } from "./support/flows";

helper.init(require.resolve("node-red"));

const callables = callablesOf(fxdeskService);
const operations = new Set<Callable>(fxdeskService.operations);
const runs = Number(process.env.FXDESK_RUNS ?? 2_000);
const fillingsPerNode = Math.ceil(runs / callables.length);

type Fields = Readonly<Record<string, TypedValue>>;

const typedValue = (value: unknown): TypedValue => {
  if (typeof value === "string") return typed("str", value);
  if (typeof value === "number") return typed("num", String(value));
  if (typeof value === "boolean") return typed("bool", String(value));
  return typed("json", JSON.stringify(value));
};

/** Values that people enter by mistake, and some that fit a field by chance. */
const wrongValue = fc.constantFrom(
  typed("str", ""),
  typed("str", "soon"),
  typed("str", "10.000"),
  typed("str", "-1"),
  typed("str", "2026-02-30"),
  typed("str", "2026-11-30"),
  typed("str", "2026-02"),
  typed("str", "payee,iban,amount"),
  typed("str", "EUR"),
  typed("str", "EUR,EUX"),
  typed("str", "DE89 3704 0044 0532 0130 01"),
  typed("num", "0"),
  typed("num", "1e9"),
  typed("bool", "true"),
  typed("json", "{}"),
  typed("json", "[]"),
  typed("json", '[{"amount":"1,5"}]'),
  typed("json", "{"),
);

/** Returns a valid filling of a form, and the same with fields left out or filled in wrongly. */
function fillingsOf(callable: Callable, sample: Values): fc.Arbitrary<Fields> {
  const names = callerFields(callable).map(({ name }) => name);
  const valid = Object.entries(sample).map(([name, value]) => [name, typedValue(value)] as const);
  // One operation has no fields.
  const name = names.length === 0 ? fc.constant("none") : fc.constantFrom(...names);
  const changes = fc.array(fc.tuple(name, fc.option(wrongValue, { nil: undefined })), {
    maxLength: Math.min(names.length, 2),
  });
  return changes.map((made) => {
    const fields = new Map<string, TypedValue | undefined>([...valid, ...made]);
    return Object.fromEntries([...fields].flatMap(([key, value]) => (value ? [[key, value] as const] : [])));
  });
}

const nodeSet = (RED: NodeAPI) => {
  RED.events.setMaxListeners(0);
  const { connection, operation } = nodeTypes(RED, {});
  RED.nodes.registerType("fxdesk-connection", connection, {
    credentials: connectionCredentials(fxdeskService),
  });
  for (const callable of callables) RED.nodes.registerType(nodeTypeOf(callable), operation(callable.name));
};

beforeAll(async () => {
  await new Promise<void>((resolve) => helper.startServer(resolve));
  runLater(() => new Promise<void>((resolve) => helper.stopServer(resolve)));
});

/** What only the call reads: the content of files and tables, and what this connection has sent before. */
const contents = new Set([
  "exposure.get flows_csv",
  "payments.followRun run",
  "statements.convert content",
  "statements.convert content_base64",
  "statements.convert path",
]);

interface Failure {
  readonly code: string;
  readonly cause: { readonly violations?: readonly { readonly field: string }[] };
}

/** Sends an empty message to each node, and returns the error of each, or undefined. */
async function runAll(ids: readonly string[]): Promise<ReadonlyMap<string, Failure | undefined>> {
  const ended = new Map<string, Failure | undefined>();
  const eventsOf = (id: string) => helper.getNode(id) as unknown as EventEmitter;
  eventsOf("sink").on("input", ({ topic }: { topic: string }) => ended.set(topic, undefined));
  for (const id of ids) {
    eventsOf(id).on("call:error", ({ firstArg }: { firstArg: Failure }) => ended.set(id, firstArg));
    helper.getNode(id).receive({ topic: id });
  }
  const isOpen = (id: string) => !ended.has(id);
  await eventually(() => !ids.some(isOpen), {
    withinMs: 60_000,
    what: () => `an end of ${ids.find(isOpen)}`,
  });
  return ended;
}

const fieldsOfViolations = (violations: readonly { readonly field: string }[] = []) =>
  violations.map(({ field }) => field).toSorted();

test("agrees with the call", async () => {
  const server = closeLater(await faultServer(respond(400, "{}")));
  runLater(() => helper.unload());
  const client = openClient(await openSandbox());
  const filled = [];
  for (const callable of callables) {
    const sample = operations.has(callable) ? await sampleInput(callable.name, client) : {};
    const fillings = fillingsOf(callable, sample);
    for (const [index, fields] of fc.sample(fillings, { numRuns: fillingsPerNode }).entries())
      filled.push({ id: `${callable.name}.${index}`, callable, fields });
  }
  const connection = {
    id: "connection",
    type: "fxdesk-connection",
    baseUrl: server.url,
    xs2aUrl: server.url,
    clientId: "c-1",
    contactId: "p-1",
  };
  const nodes = filled.map(({ id, callable, fields }) => ({
    id,
    type: nodeTypeOf(callable),
    connection: "connection",
    fields,
    requestKey: typed("str", id),
    wires: [["sink"]],
  }));
  await helper.load(nodeSet, [connection, ...nodes, { id: "sink", type: "helper" }], {
    connection: { accessToken: "token", apiKey: "key" },
  });
  const ended = await runAll(filled.map(({ id }) => id));
  const differing = [];
  let invalid = 0;
  for (const { id, callable, fields } of filled) {
    const { body } = await helper
      .request()
      .post("/fxdesk/check")
      .send({ operation: callable.name, fields, fromPayload: false });
    const checked = fieldsOfViolations((body as { violations: { field: string }[] }).violations);
    const failure = ended.get(id);
    const called = failure?.code === "invalid_input" ? fieldsOfViolations(failure.cause.violations) : [];
    if (checked.length > 0) invalid += 1;
    const isContent =
      checked.length === 0 && called.every((field) => contents.has(`${callable.name} ${field}`));
    if (String(checked) !== String(called) && !isContent) differing.push({ id, fields, checked, called });
  }
  expect(differing).toEqual([]);
  // Both kinds must occur for the comparison to say something.
  expect(invalid).toBeGreaterThan(filled.length / 4);
  expect(invalid).toBeLessThan((filled.length * 3) / 4);
});
