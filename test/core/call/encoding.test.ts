/** Encoding and decoding of requests are inverse, for JSON, documents, and forms of both. */
import * as fc from "fast-check";
import { z } from "zod";
import {
  checkInput,
  checkRequest,
  commaSeparated,
  decodeBody,
  decodeRequest,
  type Declaration,
  encodeRequest,
  fieldsOf,
  fromText,
  operations,
  type ReceivedRequest,
  UnreadableBody,
  type Values,
  type WireRequest,
} from "../../../core/operations";
import { requestValues } from "../../support/arbitrary";
import { operationNamed } from "../../support/operations";
import { declare } from "../support/declare";

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

const lists = declare({
  path: "/lists/{list-id}",
  parameters: { "list-id": z.string() },
  query: {
    repeated: z.array(z.string()).optional(),
    joined: commaSeparated(z.array(z.int()).optional()),
    flag: z.boolean().optional(),
  },
  headers: { "X-Count": z.int().optional() },
});

test.each([
  [
    { repeated: ["a", "b"], joined: [1, 2], flag: false },
    "/lists/1?repeated=a&repeated=b&joined=1,2&flag=false",
  ],
  [{ repeated: [], joined: [], flag: true }, "/lists/1?flag=true"],
  [{ "list-id": "a b%2Fé?#&" }, "/lists/a%20b%252F%C3%A9%3F%23%26"],
])("encodes %j as %s", (values, target) => {
  expect(encodeRequest(lists, { "list-id": "1", ...values }).target).toBe(target);
});

test.each([
  [{ repeated: "a,b,c" }, { repeated: ["a", "b", "c"] }],
  [{ repeated: ["a,b", "c"] }, { repeated: ["a", "b", "c"] }],
  [{ joined: ["1", "2,3"] }, { joined: [1, 2, 3] }],
  [{ repeated: "", joined: "," }, {}],
  [{ repeated: ["", ""] }, {}],
])("decodes the query %j as %j", (query, values) => {
  const request = { path: { "list-id": "1" }, query, headers: { "x-count": "3" }, body: undefined };
  expect(decodeRequest(lists, request)).toEqual({ "list-id": "1", "X-Count": 3, ...values });
});

test.each([
  ["MT940", "mt940"],
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

describe("a body that may be a document, a form or JSON", () => {
  const order = declare({
    effect: "change",
    method: "POST",
    body: z.object({
      amount: z.string().optional(),
      every: z.string().optional(),
      count: z.int().optional(),
    }),
    document: {
      name: "letter",
      schema: z.string().min(1).optional(),
      mediaTypes: ["application/xml", "text/xml"],
      form: { documentPart: "letter_part", fieldsPart: "fields_part", fields: ["every", "count"] },
    },
  });

  const write = (values: Values) => {
    const { headers, body } = encodeRequest(order, values);
    return { type: headers["content-type"]!, body: body! };
  };
  const read = (type: string, body: string | Buffer) => decodeBody(order, type, Buffer.from(body));

  test.each([
    [{ amount: "1" }, "application/json", '{"amount":"1"}'],
    [{ letter: "<a/>" }, "application/xml", "<a/>"],
    [
      { letter: "<a/>", every: "day" },
      "multipart/form-data; boundary=part-boundary-1",
      [
        "--part-boundary-1",
        'Content-Disposition: form-data; name="letter_part"',
        "Content-Type: application/xml",
        "",
        "<a/>",
        "--part-boundary-1",
        'Content-Disposition: form-data; name="fields_part"',
        "Content-Type: application/json",
        "",
        '{"every":"day"}',
        "--part-boundary-1--",
        "",
      ].join("\r\n"),
    ],
  ])("encodes %j as %s", (values, type, body) => {
    expect(write(values)).toEqual({ type, body });
  });

  const graphemes = fc.string({ unit: "grapheme" });
  const delimiters = fc.constantFrom(
    "\r\n",
    "\n",
    "\uFEFF",
    "--",
    "part-boundary-1",
    "part-boundary-2--",
    '"',
  );
  const text = fc
    .array(fc.oneof(graphemes, delimiters), { minLength: 1 })
    .map((pieces) => `<${pieces.join("")}`);

  test("decodes what it encodes, for any content", async () => {
    const fields = fc.record(
      { every: text, count: fc.integer() },
      { requiredKeys: [], noNullPrototype: true },
    );
    const property = fc.asyncProperty(text, fields, async (letter, beside) => {
      const values = { letter, ...beside };
      const { type, body } = write(values);
      expect(await read(type, body)).toEqual(values);
      const [, boundary] = /boundary=(.+)/.exec(type) ?? [];
      if (boundary !== undefined) expect(body.split(`--${boundary}`)).toHaveLength(4);
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test("decodes forms of other writers, with and without file names", async () => {
    for (const letter of ["<a/>", new Blob(["<a/>"], { type: "application/xml" })]) {
      const data = new FormData();
      data.set("letter_part", letter);
      data.set("fields_part", '{"every":"day"}');
      const written = new Response(data);
      const bytes = Buffer.from(await written.arrayBuffer());
      const values = { letter: "<a/>", every: "day" };
      expect(await read(written.headers.get("content-type")!, bytes)).toEqual(values);
    }
  });

  test.each([
    ['{"amont":"1"}', "amont"],
    ['{"letter":"<a/>"}', "body.letter"],
  ])("keeps body fields apart from other locations: %s", async (written, field) => {
    const body = await read("application/json", written);
    const values = decodeRequest(order, { path: {}, query: { more: "1" }, headers: { "x-more": "1" }, body });
    expect(checkRequest(order, values, now)).toEqual([{ field, message: "is not a known field" }]);
  });

  const multipart = "multipart/form-data; boundary=b";
  const part = '--b\r\nContent-Disposition: form-data; name="letter_part"\r\n\r\n[]\r\n--b--\r\n';

  test.each([
    ["text/plain", "{}", "media-type"],
    ["application/json", "{", "content"],
    ["application/json", "[]", "content"],
    ["application/xml; charset=iso-8859-1", "<\xe4>", "content"],
    ["multipart/form-data", part, "content"],
    [multipart, part, "content"],
  ])("refuses %s %j: %s", async (type, body, because) => {
    const reading = read(type, Buffer.from(body, "latin1"));
    await expect(reading).rejects.toBeInstanceOf(UnreadableBody);
    await expect(reading).rejects.toMatchObject({ because });
  });

  test("sends only form fields with a document", () => {
    expect(checkInput(order, { letter: "<a/>", every: "day", count: 1 }, now)).toEqual([]);
    expect(checkInput(order, { letter: "<a/>", amount: "1" }, now)).toMatchObject([{ field: "amount" }]);
  });
});
