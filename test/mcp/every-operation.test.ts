/** Every operation works as a tool and fails as documented. */
import { randomUUID } from "node:crypto";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, operations } from "@fxdesk/toolkit/operations";
import { Ajv2020 as Ajv } from "ajv/dist/2020";
import formats from "ajv-formats";
import { z } from "zod";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { requiresKey } from "../../core/spec/check";
import { modelFields } from "../../core/spec/fields";
import { errorDescription } from "../../core/spec/operation";
import { declarationsOf } from "../../core/spec/service";
import { toolsOf } from "../../mcp/inventory";
import { argumentName, argumentsOf } from "../../mcp/render/names";
import { withDecimalStrings } from "../../mcp/render/values";
import type { JsonObject } from "../../mcp/render/content";
import { failuresToTry } from "../support/operations";
import { sampleInput } from "../support/samples";
import { openClient, openSandbox } from "../support/sandboxes";
import { bearer, type McpClient, revisions, serve, textOf, token } from "./support/clients";

let sandbox: Sandbox;
let fxdesk: FxdeskClient;
/** Tools on a client of the sandbox. */
let sandboxTools: McpClient;
/** Tools on a client whose requests all fail with a network error. */
let unreachableTools: McpClient;

async function openTools(client: FxdeskClient): Promise<McpClient> {
  const allow = ["change", "money"] as const;
  const { url } = await serve({ client, toolsets: ["all"], allow, release: "never", token });
  return revisions["2026-07-28"].http(url, bearer());
}

const nowhere = "http://127.0.0.1:1";

beforeAll(async () => {
  // The log has a line for each money call.
  jest.spyOn(console, "error").mockImplementation();
  // Retry delays are a random part of a bound; zero here.
  jest.spyOn(Math, "random").mockReturnValue(0);
  sandbox = await openSandbox();
  fxdesk = openClient(sandbox, { settings: { redirectUri: sandbox.demo.redirectUri! } });
  sandboxTools = await openTools(fxdesk);
  unreachableTools = await openTools(openClient({ baseUrl: nowhere, xs2aUrl: nowhere }));
});

/** Returns the input as a model sends it, without the operator's addresses. Payments get a unique key. */
const argumentsFor = async (operation: Declaration): Promise<JsonObject> => ({
  ...argumentsOf(operation, await sampleInput(operation.name, fxdesk)),
  ...(requiresKey(operation) && { request_key: randomUUID() }),
});

const call = (client: McpClient, operation: Declaration, input: JsonObject) =>
  client.callTool({ name: operation.tool, arguments: { ...input } });

const tools = new Map(toolsOf(declarationsOf(fxdeskService)).map(({ tool }) => [tool.name, tool]));

const each = operations.map((operation): [string, Declaration] => [operation.tool, operation]);

/** Schemas as strict hosts compile them. */
const strict = formats(new Ajv({ strict: true }));

const expectValid = (schema: JsonObject, value: unknown) => {
  const isValid = strict.compile(schema);
  expect([isValid(value), isValid.errors]).toEqual([true, null]);
};

/** Writes numbers other than integers of the contract as text, as tools take them. */
const asSent = (operation: Declaration, input: JsonObject) =>
  withDecimalStrings(
    input,
    z.object(
      Object.fromEntries(modelFields(operation).map(({ name, schema }) => [argumentName(name), schema])),
    ),
  ) as JsonObject;

test.each(each)(
  "%s succeeds, with arguments and a result that its schemas describe",
  async (_tool, operation) => {
    const input = asSent(operation, await argumentsFor(operation));
    const { inputSchema, outputSchema } = tools.get(operation.tool)!;
    expectValid(inputSchema, input);
    const result = await call(sandboxTools, operation, input);
    expect(outputSchema !== undefined).toBe(operation.effect === "read");
    if (outputSchema) expectValid(outputSchema, result.structuredContent);

    expect(textOf(result)).toMatch(new RegExp(`^${operation.title}: `));
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).not.toHaveProperty("differs_from_contract");
    expect(textOf(result)).toContain(JSON.stringify(result.structuredContent));
    const connection = {
      environment: "sandbox",
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
  },
);

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

const failures = failuresToTry().map(([operation, status]) => [operation.tool, status, operation] as const);

test.each(failures)("%s: reports the error and the outcome of a %i", async (tool, status, operation) => {
  const input = await argumentsFor(operation);
  sandbox.force(operation.name, status, { times: attempts(operation, status) });

  const result = await call(sandboxTools, operation, input);

  expect(result.isError).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  const meaning = errorDescription(operation.errors[status]!);
  expect(textOf(result)).toContain(`${tool} failed: ${meaning} (${status})`);
  expect(textOf(result)).toContain(outcomeOf(operation, status));
  expect(textOf(result)).not.toContain("undefined");
});

test.each(each)(
  "%s: names an unknown argument and those it needs, and sends nothing",
  async (_tool, operation) => {
    const text = textOf(await call(unreachableTools, operation, { valueDate: "2026-01-31" }));

    expect(text).toContain("valueDate is not an argument of this tool");
    const needed = modelFields(operation).filter(
      ({ name, required }) => required && !operation.lookedUp?.[name],
    );
    for (const { name } of needed)
      expect(text).toMatch(new RegExp(`${argumentName(name)} (is required|must be)`));
    expect(text).not.toContain("cannot be reached");
  },
);

test("reports an unreachable service as retryable", async () => {
  const result = await unreachableTools.callTool({ name: "list_trades" });
  expect(textOf(result)).toMatch(/cannot be reached .* The same call may succeed later\.$/);
});
