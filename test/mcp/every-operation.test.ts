/** Every operation works as a tool and fails as documented. */
import { randomUUID } from "node:crypto";
import { demo, type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, operations } from "@fxdesk/toolkit/operations";
import { requiresKey } from "../../core/spec/check";
import { modelFields } from "../../core/spec/fields";
import { type HttpServer, serveHttp } from "../../mcp";
import { argumentName, argumentsOf } from "../../mcp/render/names";
import type { JsonObject } from "../../mcp/render/content";
import { failuresToTry } from "../support/operations";
import { sampleInput, sandboxClient } from "../support/samples";
import { type McpClient, revisions, textOf } from "./support/clients";
import { errorDescription } from "../../core/spec/operation";

let sandbox: Sandbox;
let fxdesk: FxdeskClient;
/** Tools on a client of the sandbox. */
let sandboxTools: ToolServer;
/** Tools on a client whose requests all fail with a network error. */
let unreachableTools: ToolServer;

interface ToolServer {
  readonly server: HttpServer;
  readonly client: McpClient;
}

async function startToolServer(client: FxdeskClient): Promise<ToolServer> {
  const server = await serveHttp({
    client,
    toolsets: ["all"],
    allow: ["change", "money"],
    release: "never",
    token,
  });
  const headers = { authorization: `Bearer ${token}` };
  return { server, client: await revisions["2026-07-28"].http(server.url, headers) };
}

async function closeToolServer({ server, client }: ToolServer): Promise<void> {
  await client.close();
  await server.close();
}

const token = "a-token-for-these-tests";
const nowhere = "http://127.0.0.1:1";

beforeAll(async () => {
  // The log has a line for each money call.
  jest.spyOn(console, "error").mockImplementation();
  // Retry delays are a random part of a bound; zero here.
  jest.spyOn(Math, "random").mockReturnValue(0);
  sandbox = await startSandbox();
  fxdesk = sandboxClient(sandbox, { settings: { redirectUri: sandbox.demo.redirectUri! } });
  sandboxTools = await startToolServer(fxdesk);
  unreachableTools = await startToolServer(sandboxClient({ ...sandbox, baseUrl: nowhere, xs2aUrl: nowhere }));
});
afterAll(async () => {
  await closeToolServer(unreachableTools);
  await closeToolServer(sandboxTools);
  await fxdesk.close();
  await sandbox.close();
  jest.restoreAllMocks();
});

/** Returns the input as a model sends it, without the operator's addresses. Payments get a unique key. */
const argumentsFor = async (operation: Declaration): Promise<JsonObject> => ({
  ...argumentsOf(operation, await sampleInput(operation.name, fxdesk)),
  ...(requiresKey(operation) && { request_key: randomUUID() }),
});

const inputs = new Map<string, Promise<JsonObject>>();

/** Arguments for calls that fail, shared by all tests. */
function unusedArguments(operation: Declaration): Promise<JsonObject> {
  const input = inputs.get(operation.name) ?? argumentsFor(operation);
  inputs.set(operation.name, input);
  return input;
}

const call = ({ client }: ToolServer, operation: Declaration, input: JsonObject) =>
  client.callTool({ name: operation.tool, arguments: { ...input } });

const each = operations.map((operation): [string, Declaration] => [operation.tool, operation]);

test.each(each)("%s succeeds", async (_tool, operation) => {
  const result = await call(sandboxTools, operation, await argumentsFor(operation));

  expect(textOf(result)).toMatch(new RegExp(`^${operation.title}: `));
  expect(result.isError).toBeUndefined();
  expect(result.structuredContent).not.toHaveProperty("differs_from_contract");
  expect(textOf(result)).toContain(JSON.stringify(result.structuredContent));
  const connection = {
    environment: "unknown",
    client_id: demo.clientId,
    host: new URL(sandbox.baseUrl).host,
  };
  const text = expect.any(String) as string;
  const entry = operation.effect === "money" && {
    journal_entry: text,
    notes: [expect.stringContaining("--release never") as string],
    ...(operation.recovery?.kind === "listed" && { reference: text }),
  };
  expect(result.structuredContent!.fxdesk).toEqual(
    operation.effect === "read" ? undefined : { ...connection, ...entry },
  );
});

/** Reads are retried twice if the service is busy. */
const attempts = ({ effect }: Declaration, status: number) =>
  effect === "read" && [429, 502, 503, 504].includes(status) ? 3 : 1;

/** Returns the outcome text of a result; empty for reads. */
function outcomeOf({ effect, title, singleUseField }: Declaration, status: number): string {
  if (effect === "read") return "";
  if (status === 409 && singleUseField) return `an earlier one with the same ${singleUseField} may have been`;
  return status >= 500 || status === 408
    ? "It is unknown whether it was carried out"
    : `${title}: not carried out.`;
}

const failures = failuresToTry().map(([operation, status]): [string, number, string, Declaration] => [
  operation.tool,
  status,
  errorDescription(operation.errors[status]!),
  operation,
]);

test.each(failures)(
  "%s: reports the error and the outcome of a %i",
  async (tool, status, meaning, operation) => {
    const key = operation.effect === "money" && { request_key: randomUUID() };
    const input = { ...(await unusedArguments(operation)), ...key };
    sandbox.force(operation.name, status, { times: attempts(operation, status) });

    const result = await call(sandboxTools, operation, input);

    expect(result.isError).toBe(true);
    expect(result.structuredContent).toBeUndefined();
    expect(textOf(result)).toContain(`${tool} failed: ${meaning} (${status})`);
    expect(textOf(result)).toContain(outcomeOf(operation, status));
    expect(textOf(result)).not.toContain("undefined");
  },
);

test.each(each)("%s: refuses an unknown argument by name and sends nothing", async (_tool, operation) => {
  const input = await unusedArguments(operation);

  const result = await call(unreachableTools, operation, { ...input, valueDate: "2026-01-31" });

  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("valueDate is not an argument of this tool");
  expect(textOf(result)).not.toContain("cannot be reached");
});

const requiredArguments = each.flatMap(([tool, operation]) =>
  modelFields(operation)
    .filter(({ required }) => required)
    .map(({ name }): [string, string, Declaration] => [tool, argumentName(name), operation]),
);

test.each(requiredArguments)("%s: sends nothing without %s", async (_tool, field, operation) => {
  const { [field]: _, ...input } = await unusedArguments(operation);

  const result = await call(unreachableTools, operation, input);

  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(new RegExp(`${field} (is required|must be)`));
  expect(textOf(result)).not.toContain("cannot be reached");
});

test("reports an unreachable service as retryable", async () => {
  const result = await unreachableTools.client.callTool({ name: "list_trades" });
  expect(textOf(result)).toMatch(/cannot be reached .* The same call may succeed later\.$/);
});
