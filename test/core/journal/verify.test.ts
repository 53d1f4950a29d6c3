/** Tampered exports: random edits, removed, reordered and cut-off lines. FXDESK_RUNS sets the number. */
import { Readable } from "node:stream";
import * as fc from "fast-check";
import { eraseDetails } from "../../../core/journal/operator-actions";
import { type ChainHead, parseHead, formatHead } from "../../../core/journal/hash-chain";
import { type EnvironmentHead, exportLines } from "../../../core/journal/events";
import { openJournal } from "../../../core/journal/journal";
import { withStore } from "../../../core/store/open";
import { verifyExport } from "../../../core/journal/verify-export";
import { tempFolder } from "../../support/resources";
import { key } from "../store/engines";
import { done, intent, longMs, notSent, unknown } from "./fixtures";

/** Runs per kind of change; there are four. */
const numRuns = Math.ceil(Number(process.env.FXDESK_RUNS ?? 1_000) / 4);
/** Lines of an export with different events, and the head of its journal. */
let lines: readonly string[];
let head: EnvironmentHead;

beforeAll(async () => {
  const settings = { location: `${await tempFolder()}/store.db`, key };
  const journal = await openJournal(settings);
  for (const [index, ending] of [done, notSent, unknown, done, unknown, done].entries()) {
    const { entry } = await journal.claim(intent({ key: `key-${index}` }), longMs);
    if (ending !== notSent) await journal.recordSent(entry);
    await journal.recordOutcome(entry, ending);
    if (index === 0) await withStore(settings, (store) => eraseDetails(store, entry.id));
  }
  await journal.claim(intent({ key: "key-1" }), longMs);
  await journal.close();
  lines = await withStore(settings, (store) => Readable.from(exportLines(store)).toArray());
  [head] = (await verify(exportBytes())).heads as [EnvironmentHead];
});

const exportBytes = () => Buffer.from(lines.join(""));

const verify = (bytes: Buffer, expectedHead?: ChainHead, chunkSize = 10_000) =>
  verifyExport(
    Readable.from(
      Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
        bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
      ),
    ),
    expectedHead ? [expectedHead] : [],
  );

const faultLocations = async (bytes: Buffer, expectedHead?: ChainHead) =>
  (await verify(bytes, expectedHead)).faults.map(({ where }) => where);

/** Returns the number of the line that contains a byte. */
const lineAt = (offset: number) =>
  exportBytes()
    .subarray(0, offset)
    .filter((byte) => byte === 10).length + 1;

const anyNumber = fc.nat(1_000_000);

test.each([1, 7, 64, 100_000])("accepts an unchanged export in chunks of %d bytes", async (size) => {
  expect(await verify(exportBytes(), head, size)).toEqual({
    events: lines.length - 2,
    entries: 6,
    heads: [head],
    faults: [],
    faultCount: 0,
  });
});

test("finds an edit of any byte in its line", () =>
  fc.assert(
    fc.asyncProperty(anyNumber, fc.nat(255), async (number, byte) => {
      const bytes = exportBytes();
      const offset = number % bytes.length;
      fc.pre(bytes[offset] !== byte);
      const line = lineAt(offset);
      bytes[offset] = byte;
      expect((await faultLocations(bytes))[0]).toBe(`line ${line}`);
    }),
    { numRuns },
  ));

test("finds inserted and removed bytes", () =>
  fc.assert(
    fc.asyncProperty(
      anyNumber,
      fc.integer({ min: 0, max: 40 }),
      fc.uint8Array({ maxLength: 8 }),
      async (number, count, put) => {
        const bytes = exportBytes();
        const offset = number % bytes.length;
        const changed = Buffer.concat([bytes.subarray(0, offset), put, bytes.subarray(offset + count)]);
        fc.pre(!changed.equals(bytes));
        expect(await faultLocations(changed)).not.toEqual([]);
      },
    ),
    { numRuns },
  ));

test("finds removed, repeated and reordered lines", () =>
  fc.assert(
    fc.asyncProperty(
      anyNumber,
      anyNumber,
      fc.constantFrom("remove", "repeat", "swap"),
      async (first, second, what) => {
        const changed = [...lines];
        const [one, other] = [first % lines.length, second % lines.length];
        fc.pre(what !== "swap" || one !== other);
        if (what === "remove") changed.splice(one, 1);
        else if (what === "repeat") changed.splice(other, 0, lines[one]!);
        else [changed[one], changed[other]] = [lines[other]!, lines[one]!];
        expect(await faultLocations(Buffer.from(changed.join("")))).not.toEqual([]);
      },
    ),
    { numRuns },
  ));

test("finds a truncated file", () =>
  fc.assert(
    fc.asyncProperty(anyNumber, async (number) => {
      const bytes = exportBytes();
      expect(await faultLocations(bytes.subarray(0, number % bytes.length))).not.toEqual([]);
    }),
    { numRuns },
  ));

test("finds a truncated journal with a forged last line by its head", async () => {
  for (let count = 1; count < lines.length - 2; count += 1) {
    const remaining = lines.slice(0, count);
    const { hash, environment } = JSON.parse(remaining.at(-1)!) as EnvironmentHead;
    const last = [{ count, environment, head: hash }, { environments: 1 }].map((line) =>
      JSON.stringify(line),
    );
    const shorter = Buffer.from(`${remaining.join("")}${last.join("\n")}\n`);
    expect(await faultLocations(shorter, head)).toContain("end");
    expect(await faultLocations(shorter, { seq: count, hash })).not.toContain("end");
  }
});

test("finds a rewritten journal by its head", async () => {
  const other = { seq: 4, hash: "a".repeat(64) };
  expect(await verify(exportBytes(), other)).toMatchObject({
    faults: [{ where: "end", message: `no chain contains the given head ${formatHead(other)}` }],
  });
});

test.each([
  "",
  "\n",
  "x",
  "{}",
  "[]",
  "null\n",
  '{"count":0}\n',
  '{"environments":1}\n',
  `{"count":0,"environment":"api","head":"${"0".repeat(64)}"}\n{"environments":1}\n`,
  `{"count":0,"head":"${"1".repeat(64)}"}\n`,
  "\0",
])("rejects %j as an export", async (text) => {
  expect(await faultLocations(Buffer.from(text))).not.toEqual([]);
});

test("reports the first hundred faults and their number", async () => {
  const { faults, faultCount } = await verify(Buffer.from("x\n".repeat(500)));
  expect([faults.length, faultCount]).toEqual([100, 501]);
});

test("parses a formatted head", () => {
  const { seq, hash } = head;
  expect(parseHead(formatHead(head))).toEqual({ seq, hash });
  for (const text of ["", "12", "12:", `x:${head.hash}`, `12:${head.hash}0`, head.hash])
    expect(parseHead(text)).toBeUndefined();
});
