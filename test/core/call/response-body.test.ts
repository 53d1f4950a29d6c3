/** Bodies of responses: decompression, charsets, media types, and numbers that lose digits. */
import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { z } from "zod";
import { createClient, InvalidResponse } from "../../../core";
import { findLostDigits } from "../../../core/call/lost-digits";
import { decodeText, decompress } from "../../../core/http/content-decoding";
import { ResponseTooLarge } from "../../../core/http/transport-errors";
import { contract, json, orText } from "../../../core/operations";
import { respond } from "../../support/fault-server";
import { closeLater } from "../../support/resources";
import {
  changeRequest,
  startClientAndServer,
  startFaultServer,
  tradeInput,
} from "../support/client-fixtures";
import { declare } from "../support/declare";

const megabyte = 1024 * 1024;
/** Incompressible data. */
const noise = randomBytes(400_000);

test.each<[name: string, encode: (bytes: Buffer) => Buffer]>([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } })],
])("decompresses %s within a limit", async (name, encode) => {
  for (const bytes of [Buffer.from("[1]"), Buffer.alloc(0), noise])
    expect((await decompress(encode(bytes), ` ${name.toUpperCase()} `, megabyte)).equals(bytes)).toBe(true);
  const bomb = encode(Buffer.alloc(10 * megabyte));
  await expect(async () => decompress(bomb, name, megabyte)).rejects.toBeInstanceOf(ResponseTooLarge);
  await expect(async () => decompress(encode(noise), name, 1_000)).rejects.toBeInstanceOf(ResponseTooLarge);
  await expect(async () => decompress(encode(noise).subarray(0, 9_000), name, megabyte)).rejects.toThrow();
});

test("accepts an empty body in any encoding", async () => {
  const { client } = await startClientAndServer(respond(204, "", { "content-encoding": "zstd" }));
  const input = { "payment-service": "payments", "payment-product": "sepa-credit-transfers" } as const;
  const canceled = await client.payments.cancel({ ...input, paymentId: "p-1" });
  expect(canceled).toEqual({ status: 204, body: undefined });
});

const utf16 = Buffer.from('\uFEFF"ü€中"', "utf16le");
test.each<[type: string | undefined, bytes: Buffer, text: string]>([
  [undefined, Buffer.from("ü€中"), "ü€中"],
  ['application/json; charset="UTF-8"', Buffer.from("\uFEFFü€中"), "ü€中"],
  ["application/json;charset=ISO-8859-1", Buffer.from([0x80, 0x9f]), "€Ÿ"],
  ["application/json; charset=windows-1252", Buffer.from([0x80, 0x84, 0x93, 0xfc]), "€„“ü"],
  ["application/json; charset=utf-16le", utf16.subarray(2), '"ü€中"'],
  ["application/json; charset=utf-16", utf16, '"ü€中"'],
  ["application/json; charset=utf-16", Buffer.from(utf16).swap16(), '"ü€中"'],
  ["application/json; charset=iso-8859-15", Buffer.from([0xa4]), "€"],
])("decodes %s, %j as %s", (type, bytes, text) => {
  expect(decodeText(bytes, type)).toEqual({ text, problem: undefined });
});

test.each<[type: string, bytes: Buffer, problem: RegExp]>([
  ["application/json; charset=utf-8", Buffer.from([0x22, 0xe2, 0x82, 0x22]), /not valid UTF-8/],
  ["application/json; charset=klingon", Buffer.from('"a"'), /klingon.*UTF-8/],
  ["application/json; charset=utf-16le", Buffer.from([0x22]), /utf-16le.*UTF-8/],
])("decodes %s, %j with a problem", (type, bytes, problem) => {
  expect(decodeText(bytes, type)).toMatchObject({ problem: expect.stringMatching(problem) as string });
});

const report = declare({
  name: "reports.get",
  tool: "get_report",
  headers: { Accept: z.enum(["application/json", "application/xml"]).optional() },
  responses: {
    200: orText(json(z.object({ count: z.int() }), "The report."), {
      mediaTypes: ["application/xml", "text/plain"],
      field: "Accept",
      values: ["application/xml"],
    }),
  },
});

async function startReports(contentType: string, body: string) {
  const server = await startFaultServer(respond(200, body, { "content-type": contentType }));
  const service = { ...contract, operations: [report] as const };
  return { server, client: closeLater(createClient({ baseUrl: server.url }, service)) };
}

test.each([
  ["application/json", '{"count":1}', { count: 1 }],
  ["application/xml; charset=utf-8", "<report/>", "<report/>"],
  ["Text/Plain", ":20:1", ":20:1"],
  ["application/json", '"1"', "1"],
])("reads %s %s as %j", async (contentType, body, expected) => {
  const { client } = await startReports(contentType, body);
  expect(await client.reports.get()).toEqual(expected);
});

test("has no text in its type unless text is requested", async () => {
  const { client, server } = await startReports("application/json", '{"count":1}');
  const { count } = await client.reports.get({ Accept: "application/json" });
  // @ts-expect-error: a request for XML may return text.
  const { length } = await client.reports.get({ Accept: "application/xml" });
  await client.reports.get({});
  expect([count, length]).toEqual([1, undefined]);
  const accepted = server.heads.map((head) => head.match(/^accept: .*$/gim));
  const [asJson, asXml, any] = ["application/json", "application/xml", "application/json, */*;q=0.8"];
  expect(accepted).toEqual([asJson, asXml, any].map((type) => [expect.stringContaining(`: ${type}`)]));
});

test("refuses text of an undeclared media type", async () => {
  const { client } = await startReports("text/html", "<p>");
  await expect(client.reports.get({})).rejects.toBeInstanceOf(InvalidResponse);
});

test.each([
  ['{"a":1e400}', "a"],
  ['{"a":[1,{"b":"x","c":{"d": 9007199254740993 }}]}', "a.1.c.d"],
  ["[0,[],{},\n1e-400]", "3"],
  ['{"x":"]}1e400,\\"{[","y\\"":[0.1000000000000000055]}', 'y".0'],
  ["123456789012345678", ""],
])("finds the field of the number that loses digits in %s", (text, field) => {
  const message = expect.stringContaining("JavaScript can only represent") as string;
  expect(findLostDigits(text)).toEqual([{ field, message }]);
});

/** Exact value as a fraction of integers. */
function exact(digits: string): [bigint, bigint] {
  const [, sign, whole = "", part = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    digits,
  )!;
  const power = Number(exponent) - part.length;
  const all = BigInt(`${sign}${whole}${part}`);
  return power >= 0 ? [all * 10n ** BigInt(power), 1n] : [all, 10n ** BigInt(-power)];
}

test("reports a number if and only if its shortest representation differs", () => {
  const digitsOf = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,12})?([eE][+-]?[0-2]?\d)?$/);
  fc.assert(
    fc.property(digitsOf, (digits) => {
      const [a, b] = exact(digits);
      const [c, d] = exact(String(Number(digits)));
      expect(findLostDigits(`[{"n":${digits}}]`)).toHaveLength(a * d === c * b ? 0 : 1);
    }),
    { seed: 20_261_121, numRuns: 2_000 },
  );
});

test("lists undecodable text and lost digits as violations, without failing the call", async () => {
  const body = Buffer.from('{"trade_id":"\xfc","fee":99999999999999.99}', "latin1");
  const { client } = await startClientAndServer(respond(201, body));
  const booked = await client.trades.book.response(tradeInput);
  expect(booked.body).toEqual({ trade_id: "\uFFFD", fee: 99999999999999.98 });
  const lost = { field: "fee", message: expect.stringContaining("99999999999999.99") as string };
  expect(booked.violations).toEqual(
    expect.arrayContaining([{ field: "", message: "is not valid UTF-8; some characters are lost" }, lost]),
  );
  expect((await client.request(changeRequest)).violations).toContainEqual(lost);
});
