/** Tests the OpenAPI document and the page at /docs. */
import { contract, empty, operation } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import type { OpenApiDocument } from "../../core/openapi/document";
import { extensionOperations } from "../../sandbox/src/extensions/extension-operations";
import { ask } from "./support/http";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ daysBehind: 1 });
});
afterAll(() => sandbox.close());

interface Described {
  readonly operationId: string;
  readonly servers: readonly { readonly url: string }[];
  readonly parameters: readonly { readonly name: string; readonly schema: { readonly default?: unknown } }[];
}

async function described(): Promise<readonly Described[]> {
  const { text } = await ask(sandbox, "/docs/openapi.json");
  const { paths } = JSON.parse(text) as OpenApiDocument;
  return Object.values(paths).flatMap((atPath) => Object.values(atPath) as Described[]);
}

test("lists all operations with this sandbox as server", async () => {
  const all = await described();
  const names = [...contract.operations, ...extensionOperations].map(({ name }) => name);
  expect(all.map(({ operationId }) => operationId).toSorted()).toEqual(names.toSorted());
  for (const { servers } of all) expect(servers).toEqual([{ url: sandbox.baseUrl }]);
});

test("fills in connection settings as defaults", async () => {
  const defaults = (await described()).flatMap(({ parameters }) =>
    parameters
      .filter(({ name }) => /^(client_id|PSU-IP-Address)$/.test(name))
      .map(({ schema }) => schema.default),
  );
  expect(new Set(defaults)).toEqual(new Set([sandbox.demo.clientId, "127.0.0.1"]));
});

test("is neither logged nor readable by other origins", async () => {
  const before = sandbox.requests.length;
  const foreign = { headers: { origin: "http://elsewhere.example" } };
  for (const path of ["/docs", "/docs/openapi.json", "/docs/explorer.js"]) {
    expect((await ask(sandbox, path)).status).toBe(200);
    expect((await ask(sandbox, path, foreign)).status).toBe(403);
  }
  expect(sandbox.requests).toHaveLength(before);
});

test("loads content from the sandbox only", async () => {
  const policy = (await ask(sandbox, "/docs")).headers.get("content-security-policy")!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toMatch(/script-src 'sha256-[^']+' 'self'(;|$)/);
  expect(policy).not.toMatch(/https?:|unsafe-eval|script-src[^;]*unsafe-inline/);
});

test("yields to a service with its own operation at /docs", async () => {
  const own = operation({
    name: "docs.get",
    tool: "get_docs",
    title: "Get docs",
    summary: "Returns nothing.",
    effect: "read",
    method: "GET",
    path: "/docs",
    server: "service",
    credentials: [],
    responses: { 204: empty("Nothing.") },
    errors: {},
    contract: "",
  });
  const service = { ...contract, operations: [own] };
  const other = await startSandbox({
    service,
    daysBehind: 1,
    behaviours: { "docs.get": () => ({ status: 204 }) },
  });
  expect((await ask(other, "/docs")).status).toBe(204);
  await other.close();
});
