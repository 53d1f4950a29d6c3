/** Requests that nobody should send: refused, never a failure of the sandbox. */
import * as fc from "fast-check";
import { type Declaration, type Field, fieldsOf, operations } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { ask, demoHeaders } from "./support/http";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.constantFrom("", "..", "null", "-1", "1e99"),
);
const value = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 1 }),
  fc.constantFrom("client-demo", "EUR", "2026-01-01", 0, -1, 1e308),
);

/** Without these no request gets far. */
const right: Readonly<Record<string, string>> = {
  client_id: "client-demo",
  "X-Request-ID": "99391c7e-ad88-49ec-a2ad-99ddcb1f7721",
  "PSU-IP-Address": "192.0.2.1",
};

const valueOf = ({ name, options = [] }: Field) =>
  fc.oneof(value, fc.constantFrom(right[name] ?? "EUR", ...options));

/** Any values for the fields of an operation, most of them wrong. */
function mess(operation: Declaration) {
  const fields = Object.fromEntries(fieldsOf(operation).map((field) => [field.name, valueOf(field)]));
  return fc.record(fields, { requiredKeys: [] });
}

const written = (part: unknown) => (typeof part === "string" ? part : JSON.stringify(part));

/** In UTF-8, which has no lone surrogates; a path without its parameter would be another path. */
const wire = (part: unknown) => encodeURIComponent(Buffer.from(written(part)).toString() || " ");

/** Headers take printable ASCII only: the rest does not leave the machine that asks. */
const headerText = (part: unknown) => written(part).replace(/[^ -~]/g, "?");

function request(operation: Declaration, values: Record<string, unknown>, body: string) {
  const place = (where: string) =>
    fieldsOf(operation).filter((field) => field.place === where && field.name in values);
  const path = operation.path.replace(/\{([^}]+)\}/g, (_match, name: string) => wire(values[name] ?? "x"));
  const query = place("query").map(({ name }) => `${wire(name)}=${wire(values[name])}`);
  const headers = Object.fromEntries(place("header").map(({ name }) => [name, headerText(values[name])]));
  return ask(sandbox, `${path}?${query.join("&")}`, {
    method: operation.method,
    headers: { ...demoHeaders, "content-type": "application/json", ...headers },
    ...(operation.method !== "GET" && { body }),
  });
}

const known = ({ answers, errors }: Declaration) =>
  new Set([...Object.keys(answers), ...Object.keys(errors)].map(Number));

/** What a server needs beyond the contract. */
const always = new Set([400, 404, 405]);

test.each(operations.map((operation) => [operation.name, operation] as const))(
  "%s refuses what does not fit",
  async (_name, operation: Declaration) => {
    const bodies = fc.oneof(
      fc.jsonValue({ maxDepth: 1 }).map((any) => JSON.stringify(any)),
      mess(operation).map((any) => JSON.stringify(any)),
      text,
    );
    await fc.assert(
      fc.asyncProperty(mess(operation), bodies, async (values, body) => {
        const { status } = await request(operation, values, body);
        expect(status).toBeLessThan(500);
        expect(known(operation).has(status) || always.has(status)).toBe(true);
      }),
      { numRuns: 20 },
    );
  },
);

test("the sandbox is as before", async () => {
  const path = "/account-details/all?client_id=client-demo";
  expect(await ask(sandbox, path, { headers: demoHeaders })).toMatchObject({ status: 200 });
});
