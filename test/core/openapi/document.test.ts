import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { contract, operations } from "../../../core/operations";
import { openApiDocument } from "../../../core/openapi/document";
import { tempFolder } from "../../support/resources";

const run = promisify(execFile);
/** Runs the command, because jest cannot load the ES module. */
const validator = join(__dirname, "../../../node_modules/.bin/validate-api");

const document = openApiDocument(contract, { version: "1.2.3" });

interface Described {
  operationId: string;
  description: string;
  servers: { url: string }[];
  security: object[];
  parameters: { name: string; in: string; required: boolean; [key: string]: unknown }[];
  requestBody?: { content: Record<string, { schema: { $ref?: string } }> };
  responses: Record<string, { description: string; content?: object; headers?: object }>;
  [extension: `x-${string}`]: unknown;
}

const describedParts = (from = document): Described[] =>
  Object.values(from.paths).flatMap((atPath) => Object.values(atPath) as Described[]);

const find = (name: string) => describedParts().find(({ operationId }) => operationId === name)!;

test("is valid OpenAPI 3.1", async () => {
  const path = join(await tempFolder(), "openapi.json");
  await writeFile(path, JSON.stringify(document));
  const { stdout } = await run(process.execPath, [validator, path]);
  expect(JSON.parse(stdout)).toEqual({ valid: true });
});

test("describes each declared operation once, under its own name, path and method", () => {
  expect(new Set(describedParts().map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { name, path, method } of operations)
    expect(document.paths[path]).toHaveProperty(
      method.toLowerCase(),
      expect.objectContaining({ operationId: name }),
    );
});

test("contains every documented status with its description", () => {
  for (const declared of operations) {
    const { responses } = find(declared.name);
    const statuses = [...Object.keys(declared.responses), ...Object.keys(declared.errors)];
    expect(Object.keys(responses).toSorted()).toEqual(statuses.toSorted());
  }
  expect(find("trades.book").responses[409]).toEqual({
    description: "A conflict that can be corrected; see the error details.",
    content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorMessage" } } },
  });
});

test("resolves every reference to a schema", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(0);
  for (const [, name] of references) expect(document.components.schemas).toHaveProperty([name!]);
  expect(JSON.stringify(document)).not.toContain("$defs");
});

test("lists every encoding of a body, and requires the document in a form", () => {
  const { content } = find("payments.initiate").requestBody!;
  expect(Object.keys(content)).toHaveLength(4);
  const required = ["xml_sct", "json_standingorderType"];
  expect(content["multipart/form-data"]!.schema).toMatchObject({ required });
});

test("declares the encoding of query arrays, and parameters that the caller does not fill", () => {
  const { parameters } = find("trades.list");
  const named = (wanted: string) => parameters.find(({ name }) => name === wanted);
  expect(named("trade_type")).toMatchObject({ in: "query", style: "form", explode: false });
  expect(named("client_id")).toMatchObject({ required: true, "x-fxdesk-filled-by": "connection" });
});

test("lists required and optional credentials", () => {
  expect(find("trades.list").security).toEqual([
    { accessToken: [], apiKey: [], contactId: [] },
    { accessToken: [], apiKey: [] },
  ]);
});

test("uses server templates unless addresses are given", () => {
  expect(find("trades.list").servers[0]!.url).toBe("https://{environment}.{domain}");
  const local = openApiDocument(contract, { version: "1", servers: { service: "http://127.0.0.1:8080/" } });
  const trades = describedParts(local).find(({ operationId }) => operationId === "trades.list");
  expect(trades!.servers).toEqual([{ url: "http://127.0.0.1:8080" }]);
});
