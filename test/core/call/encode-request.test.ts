/** Encoding and decoding of requests are inverse. */
import * as fc from "fast-check";
import { z } from "zod";
import {
  commaSeparated,
  decodeBody,
  decodeRequest,
  type Declaration,
  encodeRequest,
  fieldsOf,
  fromText,
  json,
  operation,
  operations,
  type ReceivedRequest,
  type Values,
  type WireRequest,
} from "../../../core/operations";
import { requestValues } from "../../support/arbitrary";
import { operationNamed } from "../../support/operations";

const runs = Number(process.env.FXDESK_RUNS ?? 10);
const now = new Date("2026-01-31T12:00:00Z");

/** Parses a request as a server does. */
async function receive(declared: Declaration, request: WireRequest): Promise<ReceivedRequest> {
  const { path: template } = declared;
  const { target, headers, body } = request;
  const [path = "", query = ""] = target.split("?");
  const names = [...template.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!);
  const values = new RegExp(`^${template.replace(/\{[^}]+\}/g, "([^/]+)")}$`).exec(path)?.slice(1);
  if (!values) throw new Error(`${path} does not match ${template}.`);
  const parameters = new URLSearchParams(query);
  return {
    path: Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(values[index]!)])),
    query: Object.fromEntries(
      [...new Set(parameters.keys())].map((name) => {
        const all = parameters.getAll(name);
        return [name, all.length === 1 ? all[0] : all];
      }),
    ),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    body:
      body === undefined ? undefined : await decodeBody(declared, headers["content-type"], Buffer.from(body)),
  };
}

/** An empty list is indistinguishable from an absent one in a query. */
function sendable(declared: Declaration, values: Values): Values {
  const places = new Map(fieldsOf(declared).map(({ name, location }) => [name, location]));
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => !(places.get(name) === "query" && Array.isArray(value) && value.length === 0),
    ),
  );
}

const operationCases = (operations as readonly Declaration[]).map(
  (declared) => [declared.name, declared] as const,
);

test.each(operationCases)("%s: encodes each field in its location and decodes it", async (_, declared) => {
  const property = fc.asyncProperty(requestValues(declared, now), async (values) => {
    const request = encodeRequest(declared, values);
    expect(new URL(request.target, "https://example.com").pathname).toBe(request.target.split("?")[0]);
    expect(decodeRequest(declared, await receive(declared, request))).toEqual(sendable(declared, values));
  });
  await fc.assert(property, { numRuns: runs, interruptAfterTimeLimit: 15_000 });
});

const lists = operation({
  name: "lists.write",
  tool: "write_lists",
  title: "Write lists",
  summary: "Writes lists.",
  effect: "change",
  method: "POST",
  path: "/lists/{list-id}",
  server: "service",
  credentials: [],
  parameters: { "list-id": z.string() },
  query: {
    repeated: z.array(z.string()).optional(),
    joined: commaSeparated(z.array(z.int()).optional()),
    flag: z.boolean().optional(),
  },
  headers: { "X-Count": z.int().optional() },
  body: z.object({ note: z.string().optional() }),
  responses: { 200: json(z.unknown(), "Written.") },
  errors: {},
  contract: "0",
});

const encode = (values: Values) => encodeRequest(lists, { "list-id": "1", ...values });

test.each([
  [{ repeated: ["a", "b"] }, "/lists/1?repeated=a&repeated=b"],
  [{ joined: [1, 2] }, "/lists/1?joined=1,2"],
  [{ repeated: ["a"], joined: [1], flag: false }, "/lists/1?repeated=a&joined=1&flag=false"],
  [{ repeated: [], joined: [], flag: true }, "/lists/1?flag=true"],
  [{ repeated: [] }, "/lists/1"],
  [{ "list-id": "a b%2Fé?#&" }, "/lists/a%20b%252F%C3%A9%3F%23%26"],
])("encodes %j as %s", (values, target) => {
  expect(encode(values).target).toBe(target);
});

const received = (query: ReceivedRequest["query"], body: Values | undefined = {}) =>
  decodeRequest(lists, { path: { "list-id": "1" }, query, headers: { "x-count": "3" }, body });

test("decodes a list that is repeated, joined, or both", () => {
  for (const repeated of ["a,b,c", ["a", "b", "c"], ["a,b", "c"]])
    expect(received({ repeated })).toMatchObject({ repeated: ["a", "b", "c"] });
  expect(received({ joined: ["1", "2,3"] })).toMatchObject({ joined: [1, 2, 3] });
});

test.each(["", ",", ["", ""]])("decodes %j as an absent list", (repeated) => {
  expect(received({ repeated, joined: repeated })).toEqual({ "list-id": "1", "X-Count": 3 });
});

test.each([
  ["MT940", "mt940"],
  ["PDF", "pdf"],
  ["constructor", "constructor"],
])("decodes the format %s as %s", (format, read) => {
  const request = { path: {}, query: { format }, headers: {}, body: {} };
  expect(decodeRequest(operationNamed("statements.createFile"), request)).toEqual({ format: read });
});

test.each([
  [z.string(), "007", "007"],
  [z.int(), "12x", "12x"],
  [z.number(), "1e3", "1e3"],
  [z.boolean(), "true", true],
  [z.boolean(), "TRUE", "TRUE"],
  [z.array(z.int()), "1, 2", [1, 2]],
  [z.array(z.int()), "[1,2]", [1, 2]],
  [z.array(z.string()), "", []],
  [z.object({}), "{a", "{a"],
  [z.record(z.string(), z.string()), '{"USD":0.92,"GBP":"1.15"}', { USD: "0.92", GBP: "1.15" }],
  [z.record(z.string(), z.string()), '{"USD":[1]}', { USD: [1] }],
  [z.unknown(), "null", null],
  [z.int().default(1).optional(), "2", 2],
])("parses text by the type of its schema (case %#)", (schema: z.ZodType, text, value) => {
  expect(fromText(schema, text)).toEqual(value);
});
