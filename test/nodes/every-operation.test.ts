/** Each operation has a node, and each node does what its operation says, in a running Node-RED. */
import { randomUUID } from "node:crypto";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { callerFields, operations, type Declaration, type Values } from "@fxdesk/toolkit/operations";
import type { Kind } from "@fxdesk/toolkit/schema";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { nodeTypeOf } from "../../nodes/shared/node-names";
import { failuresToTry } from "../support/operations";
import { sampleInput, sandboxClient } from "../support/samples";
import { catchNode, connectionConfig, operationNode, tab, typed } from "./support/flows";
import { type FlowNode, NodeRed } from "./support/node-red";

/** HTTP response: the message sent by the node, or the error seen by a Catch node. */
interface Outcome {
  readonly statusCode?: number;
  readonly payload?: unknown;
  readonly fxdesk?: Record<string, unknown>;
  readonly error?: {
    message: string;
    code: string;
    cause: Record<string, unknown>;
    source: { type: string };
  };
}

const responseFunction = (id: string, code: string): FlowNode[] => [
  { id, type: "function", z: tab.id, func: code, outputs: 1, wires: [["response"]] },
];

/** An http endpoint for each operation: the body of a request is the input of the node. */
const branch = (operation: Declaration): FlowNode[] => [
  {
    id: `in-${operation.tool}`,
    type: "http in",
    z: tab.id,
    url: `/call/${operation.tool}`,
    method: "post",
    wires: [[operation.tool]],
  },
  operationNode(operation, operation.tool, ["answer"], {
    fromPayload: true,
    pages: "one",
    requestKey: typed("msg", "req.query.key"),
  }),
];

const flows = (sandbox: Sandbox): FlowNode[] => [
  tab,
  connectionConfig(sandbox),
  ...operations.flatMap(branch),
  catchNode("caught", ["failure"]),
  ...responseFunction(
    "answer",
    `const { statusCode, fxdesk, payload } = msg;
     const content = Buffer.isBuffer(payload) ? payload.toString("latin1") : payload;
     return Object.assign(msg, { statusCode: 200, payload: { statusCode, fxdesk, payload: content } });`,
  ),
  ...responseFunction(
    "failure",
    `return Object.assign(msg, { statusCode: 200, payload: { error: msg.error } });`,
  ),
  { id: "response", type: "http response", z: tab.id, statusCode: "", headers: {}, wires: [] },
];

let sandbox: Sandbox;
let client: FxdeskClient;
let nodeRed: NodeRed;

beforeAll(async () => {
  sandbox = await startSandbox();
  client = sandboxClient(sandbox);
  nodeRed = await NodeRed.start({
    env: { NODE_OPTIONS: `--require=${require.resolve("./support/short-waits")}` },
  });
  await nodeRed.deploy(flows(sandbox));
}, 60_000);

afterAll(async () => {
  await nodeRed.close();
  await client.close();
  await sandbox.close();
});

async function run(operation: Declaration, input: unknown): Promise<Outcome> {
  const response = await nodeRed.request(`/call/${operation.tool}?key=${randomUUID()}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  return (await response.json()) as Outcome;
}

const sample = (operation: Declaration) => sampleInput(operation.name, client);

const inputs = new Map<string, Promise<Values>>();

/** Returns the sample input of an operation. Failing calls share it. */
function cachedSample(operation: Declaration): Promise<Values> {
  const input = inputs.get(operation.name) ?? sample(operation);
  inputs.set(operation.name, input);
  return input;
}

const documented = ({ responses }: Declaration) => Object.keys(responses).map(Number);

test.each(operations.map((operation) => [operation.name, operation] as const))(
  "%s succeeds",
  async (_name, operation: Declaration) => {
    const { error, statusCode, fxdesk } = await run(operation, await sample(operation));

    expect(error).toBeUndefined();
    expect(documented(operation)).toContain(statusCode);
    expect(fxdesk).toMatchObject({ operation: operation.name, violations: [] });
  },
);

/** A value of the wrong kind. */
const invalidValueByKind: Readonly<Record<Kind, unknown>> = {
  string: { not: "text" },
  integer: "many",
  number: "many",
  boolean: "perhaps",
  array: { not: "a list" },
  object: "nothing",
  unknown: undefined,
};

const operationFields = operations.flatMap((operation: Declaration) =>
  callerFields(operation)
    .filter(({ kind }) => invalidValueByKind[kind] !== undefined)
    .slice(0, 1)
    .map((field) => [operation.name, field.name, operation, field.kind] as const),
);

test.each(operationFields)(
  "%s: a misfit in %s is named, and nothing is sent",
  async (_name, field, operation, kind) => {
    const input = await cachedSample(operation);
    const before = sandbox.requests.length;

    const { error } = await run(operation, { ...input, [field]: invalidValueByKind[kind] });

    expect(error?.code).toBe("invalid_input");
    expect(error?.message).toContain(field);
    expect(error?.cause).toMatchObject({ outcome: "not-sent", violations: [{ field }] });
    expect(sandbox.requests).toHaveLength(before);
  },
);

/** A read is tried again, twice, when the service is busy. */
const attempts = ({ effect }: Declaration, status: number) =>
  effect === "read" && [429, 502, 503, 504].includes(status) ? 3 : 1;

const failures = failuresToTry().map(([operation, status]) => [operation.name, status, operation] as const);

test.each(failures)("%s: %i reaches a Catch node", async (name, status, operation) => {
  const input = await cachedSample(operation);
  sandbox.force(name, status, { times: attempts(operation, status) });

  const { error } = await run(operation, input);

  expect(error).toMatchObject({
    message: expect.stringMatching(new RegExp(`^${name}: .*\\(${status}\\)`)) as string,
    code: expect.stringMatching(/^[a-z_]+$/) as string,
    cause: {
      operation: name,
      status,
      outcome: status >= 500 || status === 408 ? "unknown" : "rejected",
      retryable: expect.any(Boolean) as boolean,
    },
    source: { type: nodeTypeOf(operation) },
  });
});
