/** Decompression within a limit, and decoding by charset. */
import { randomBytes } from "node:crypto";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { decodeText, decompress } from "../../../core/http/content-decoding";
import { ResponseTooLarge } from "../../../core/http/transport-errors";
import { respond } from "../../support/fault-server";
import { startClientAndServer, tradeInput } from "../support/client-fixtures";

const megabyte = 1024 * 1024;
const brotli = (bytes: Buffer) =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } });
const encoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  "x-gzip": (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: brotli,
};
const codings = Object.entries(encoders);

/** Incompressible data. */
const noise = randomBytes(400_000);

describe.each(codings)("%s", (name, encode) => {
  test.each([
    ["small", Buffer.from("[1]")],
    ["empty", Buffer.alloc(0)],
    ["large", noise],
  ])("decompresses the body: %s", async (_, bytes) => {
    expect((await decompress(encode(bytes), name, megabyte)).equals(bytes)).toBe(true);
    expect((await decompress(encode(bytes), ` ${name.toUpperCase()} `, megabyte)).equals(bytes)).toBe(true);
  });

  test("refuses a body that exceeds the limit after decompression", async () => {
    const bomb = encode(Buffer.alloc(10 * megabyte));
    await expect(async () => decompress(bomb, name, megabyte)).rejects.toBeInstanceOf(ResponseTooLarge);
    await expect(async () => decompress(encode(noise), name, 1_000)).rejects.toBeInstanceOf(ResponseTooLarge);
  });

  test("refuses a truncated body", async () => {
    const whole = encode(noise);
    await expect(async () =>
      decompress(whole.subarray(0, whole.length / 2), name, megabyte),
    ).rejects.toThrow();
  });
});

test.each([undefined, "Identity"])("does not decompress a body with the encoding %j", async (encoding) => {
  expect(await decompress(Buffer.from("[1]"), encoding, 1)).toEqual(Buffer.from("[1]"));
});

test("returns an empty body for any encoding", async () => {
  const { client } = await startClientAndServer(respond(204, "", { "content-encoding": "zstd" }));
  const done = {
    "payment-service": "payments",
    "payment-product": "sepa-credit-transfers",
    paymentId: "p-1",
  } as const;
  expect(await client.payments.cancel(done)).toEqual({ status: 204, body: undefined });
});

describe("charsets", () => {
  const utf16 = Buffer.from('"ü€中"', "utf16le");
  test.each<[type: string | undefined, bytes: Buffer, text: string]>([
    [undefined, Buffer.from("ü€中"), "ü€中"],
    ['application/json; charset="UTF-8"', Buffer.from("ü€中"), "ü€中"],
    ["application/json", Buffer.from("\uFEFF[1]"), "[1]"],
    ["application/json;charset=ISO-8859-1", Buffer.from([0x80, 0x9f]), "€Ÿ"],
    ["application/json; charset=windows-1252", Buffer.from([0x80, 0x84, 0x93, 0xfc]), "€„“ü"],
    ["application/json; charset=utf-16le", utf16, '"ü€中"'],
    ["application/json; charset=utf-16", Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), '"ü€中"'],
    [
      "application/json; charset=utf-16",
      Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]).swap16(),
      '"ü€中"',
    ],
    ["application/json; charset=iso-8859-15", Buffer.from([0xa4]), "€"],
  ])("decodes %s, %j as %s", (type, bytes, text) => {
    const read = decodeText(bytes, type);
    expect([read.text, read.problem]).toEqual([text, undefined]);
  });

  test.each<[type: string, bytes: Buffer, problem: RegExp]>([
    ["application/json", Buffer.from([0x22, 0xfc, 0x22]), /not valid UTF-8/],
    ["application/json; charset=utf-8", Buffer.from([0x22, 0xe2, 0x82, 0x22]), /not valid UTF-8/],
    ["application/json; charset=klingon", Buffer.from('"a"'), /klingon.*UTF-8/],
    ["application/json; charset=utf-16le", Buffer.from([0x22]), /utf-16le.*UTF-8/],
  ])("decodes %s, %j with a problem", (type, bytes, problem) => {
    expect(decodeText(bytes, type)).toMatchObject({ problem: expect.stringMatching(problem) as string });
  });

  test("report decoding problems as violations, without failing a booking", async () => {
    const body = Buffer.concat([Buffer.from('{"trade_id":"'), Buffer.from([0xfc]), Buffer.from('"}')]);
    const { client } = await startClientAndServer(respond(201, body));
    const { violations, body: booked } = await client.trades.book.response(tradeInput);
    expect(booked.trade_id).toBe("\uFFFD");
    expect(violations).toContainEqual({ field: "", message: "is not valid UTF-8; some characters are lost" });
  });
});
