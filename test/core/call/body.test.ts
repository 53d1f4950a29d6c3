/** Bodies other than JSON: documents, and forms of a document and fields. */
import * as fc from "fast-check";
import { z } from "zod";
import {
  checkInput,
  checkRequest,
  decodeBody,
  decodeRequest,
  encodeRequest,
  json,
  operation,
  UnreadableBody,
  type Values,
} from "../../../core/operations";

const order = operation({
  name: "orders.write",
  tool: "write_order",
  title: "Write order",
  summary: "Writes an order.",
  effect: "change",
  method: "POST",
  path: "/orders",
  server: "service",
  credentials: [],
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
  responses: { 200: json(z.unknown(), "Written.") },
  errors: {},
  contract: "0",
});

const write = (values: Values) => {
  const { headers, body } = encodeRequest(order, values);
  return { type: headers["content-type"]!, body: body! };
};
const read = ({ type, body }: ReturnType<typeof write>) => decodeBody(order, type, Buffer.from(body));

test.each([
  [{ amount: "1" }, "application/json", '{"amount":"1"}'],
  [{ letter: "<a/>" }, "application/xml", "<a/>"],
])("encodes %j as %s", (values, type, body) => {
  expect(write(values)).toEqual({ type, body });
});

test("encodes a document with fields as a form", () => {
  expect(write({ letter: "<a/>", every: "day" })).toEqual({
    type: "multipart/form-data; boundary=part-boundary-1",
    body: [
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
  });
});

const graphemes = fc.string({ unit: "grapheme" });
const delimiters = fc.constantFrom("\r\n", "\n", "\uFEFF", "--", "part-boundary-1", "part-boundary-2--", '"');
const text = fc
  .array(fc.oneof(graphemes, delimiters), { minLength: 1 })
  .map((pieces) => `<${pieces.join("")}`);

test("decodes what it encodes, for any content", async () => {
  const fields = fc.record({ every: text, count: fc.integer() }, { requiredKeys: [], noNullPrototype: true });
  const property = fc.asyncProperty(text, fields, async (letter, beside) => {
    const values = { letter, ...beside };
    const written = write(values);
    expect(await read(written)).toEqual(values);
    const [, boundary] = /boundary=(.+)/.exec(written.type) ?? [];
    if (boundary !== undefined) expect(written.body.split(`--${boundary}`)).toHaveLength(4);
  });
  await fc.assert(property, { numRuns: 500 });
});

const form = (parts: Readonly<Record<string, string | Blob>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts)) data.set(name, value);
  return new Response(data);
};

test("decodes forms of other writers, with and without file names", async () => {
  for (const letter_part of ["<a/>", new Blob(["<a/>"], { type: "application/xml" })]) {
    const written = form({ letter_part, fields_part: '{"every":"day"}' });
    const bytes = Buffer.from(await written.arrayBuffer());
    expect(await decodeBody(order, written.headers.get("content-type")!, bytes)).toEqual({
      letter: "<a/>",
      every: "day",
    });
  }
});

test.each([
  ['{"amont":"1"}', "amont"],
  ['{"letter":"<a/>"}', "body.letter"],
])("keeps body fields apart from other locations: %s", async (written, field) => {
  const body = await decodeBody(order, "application/json", Buffer.from(written));
  const values = decodeRequest(order, { path: {}, query: { more: "1" }, headers: { "x-more": "1" }, body });
  expect(checkRequest(order, values, new Date())).toEqual([{ field, message: "is not a known field" }]);
});

const multipart = "multipart/form-data; boundary=b";
const parts = (...names: string[]) =>
  `${names.map((name) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n[]\r\n`).join("")}--b--\r\n`;

test.each([
  ["text/plain", "{}", "media-type", "The body must be one of"],
  ["application/json", "{", "content", "The body is not JSON."],
  ["application/json", "[]", "content", "The body must be an object."],
  ["application/xml; charset=iso-8859-1", "<\xe4>", "content", "The body is not UTF-8."],
  ["multipart/form-data", parts("letter_part"), "content", "The body is not a valid multipart form."],
  [multipart, parts("letter_part"), "content", "The form has no part fields_part."],
])("refuses %s %j: %s", async (type, body, because, message) => {
  const reading = decodeBody(order, type, Buffer.from(body, "latin1"));
  await expect(reading).rejects.toBeInstanceOf(UnreadableBody);
  await expect(reading).rejects.toMatchObject({ because, message: expect.stringContaining(message) });
});

test("sends only form fields with a document", () => {
  const now = new Date("2026-01-31");
  expect(checkInput(order, { letter: "<a/>", every: "day", count: 1 }, now)).toEqual([]);
  expect(checkInput(order, { letter: "<a/>", amount: "1" }, now)).toEqual([
    { field: "amount", message: "cannot be combined with letter, which is the whole body" },
  ]);
});
