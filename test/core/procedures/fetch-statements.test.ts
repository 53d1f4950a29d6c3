/** statements.fetch against the sandbox, and the delivery of its files. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "@fxdesk/sandbox";
import { type FxdeskClient, type Interceptor, intoFolder } from "../../../core";
import { readMt940 } from "../../../core/files";
import { tempFolder } from "../../support/resources";
import { openClient, openSandboxAndClient } from "../../support/sandboxes";

let sandbox: Sandbox;
let client: FxdeskClient;
let folder: string;
beforeAll(async () => {
  ({ sandbox, client } = await openSandboxAndClient());
  folder = await tempFolder();
});

/** Runs `happens` before the nth poll of a file. */
const onFileRequest =
  (nth: number, happens: () => void): Interceptor =>
  (call, next) => {
    if (call.operation.name === "statements.getFile" && --nth === 0) happens();
    return next();
  };

test("returns a file per account, in memory by default, with progress", async () => {
  const steps: [number, number | undefined][] = [];
  const { files, failed, complete } = await client.statements.fetch(
    { format: "mt940", currencies: "EUR,USD" },
    { onProgress: ({ done, total }) => steps.push([done, total]) },
  );
  expect([files.map(({ currency }) => currency).toSorted(), failed, complete]).toEqual([
    ["EUR", "USD"],
    [],
    true,
  ]);
  for (const { currency, content } of files)
    for await (const statement of readMt940(content!.toString("latin1")))
      expect(statement.account.currency).toBe(currency);
  expect(steps).toEqual([
    [0, 2],
    [1, 2],
    [2, 2],
  ]);
});

test("writes files into a folder under unique names", async () => {
  const input = { format: "csv", currencies: "EUR,GBP", period: "2026-01" } as const;
  const into = join(folder, "january", "csv");
  const deliver = intoFolder(into);
  const { files } = await client.statements.fetch(input, { deliver });
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^EUR_[A-Z0-9]+_2026-01-01_2026-01-31\.csv$/),
      expect.stringMatching(/^GBP_[A-Z0-9]+_2026-01-01_2026-01-31\.csv$/),
    ]),
  );
  const again = await client.statements.fetch(input, { deliver });
  const paths = [...files, ...again.files].map(({ path }) => path!);
  expect(new Set(paths).size).toBe(4);
  expect((await readdir(into)).toSorted()).toEqual(
    files.flatMap(({ name }) => [name, name.replace(".csv", " (2).csv")]).toSorted(),
  );
  const [own, other] = await Promise.all(
    [files[0]!, again.files.find(({ name }) => name === files[0]!.name)!].map(({ path }) =>
      readFile(path!, "utf8"),
    ),
  );
  expect(own).toContain("opening");
  expect(other!.length).toBe(own!.length);
});

test("reports a file that the service cannot generate, and returns the others", async () => {
  sandbox.control.addStatementFault({ decision: "fail" });
  const unknown = "00000000-0000-4000-8000-000000000000";
  const accounts = (await client.accounts.list({ currencies: "EUR,USD,GBP" })).map((each) => each.account_id);
  const { files, failed, complete } = await client.statements.fetch({ accounts: [...accounts, unknown] });
  expect([files.length, complete]).toEqual([2, false]);
  expect(failed).toEqual([
    {
      account_id: expect.stringMatching(/./),
      currency: expect.any(String),
      reason: "The service failed to generate the file.",
    },
    { account_id: unknown, currency: "", reason: "Account not found." },
  ]);
});

test("waits for a slow file", async () => {
  sandbox.control.addStatementFault({ decision: "delay", seconds: 3_600 });
  const patient = openClient(sandbox, {
    interceptors: [onFileRequest(3, () => sandbox.control.advanceClock({ seconds: 3_600 }))],
  });
  const { files, complete } = await patient.statements.fetch({ currencies: "EUR" });
  expect([files.length, complete]).toEqual([1, true]);
});

test("returns the ID of a file that is not ready in time, and outlasts transient failures", async () => {
  sandbox.control.addStatementFault({ decision: "delay", seconds: 3_600 });
  const { files, failed } = await client.statements.fetch({ currencies: "EUR", wait_seconds: 0 });
  expect([files, failed]).toEqual([
    [],
    [expect.objectContaining({ reason: "The file is not ready yet.", statement_id: expect.any(String) })],
  ]);
  sandbox.control.advanceClock({ seconds: 3_601 });
  const { account_id, statement_id } = failed[0]!;
  expect((await client.statements.getFile({ account_id, statement_id: statement_id! })).status).toBe(200);
  sandbox.control.addFault({ operation: "statements.getFile", kind: "status", status: 502, times: 4 });
  expect((await client.statements.fetch({ currencies: "EUR" })).complete).toBe(true);
  sandbox.control.clearFaults();
});

test("stops waiting if the signal is aborted", async () => {
  sandbox.control.addStatementFault({ decision: "delay", seconds: 36_000 });
  const stop = new AbortController();
  const stopped = openClient(sandbox, { interceptors: [onFileRequest(2, () => stop.abort())] });
  await expect(
    stopped.statements.fetch({ currencies: "EUR" }, { signal: stop.signal }),
  ).rejects.toMatchObject({ code: "aborted" });
});

test("reports an unwritable folder for each file", async () => {
  const deliver = intoFolder("/dev/null/folder");
  const { files, failed } = await client.statements.fetch({ currencies: "EUR" }, { deliver });
  expect([files, failed.map(({ reason }) => reason)]).toEqual([
    [],
    [expect.stringMatching(/^statements\.fetch: EUR_.*\.pdf could not be delivered \(.*\)\.$/)],
  ]);
});

describe("intoFolder", () => {
  const file = (name: string, content: AsyncIterable<Uint8Array> | Uint8Array = Buffer.from("x")) => ({
    name,
    contentType: "text/plain",
    content,
  });

  test.each([
    ["../../out.txt", "out.txt"],
    ["a/b\\c:d?.csv", "a-b-c-d-.csv"],
    ["con.txt", "con-.txt"],
    ["...", "file"],
    [`${"ü".repeat(300)}.pdf`, `${"ü".repeat(120)}.pdf`],
  ])("keeps %s inside the folder", async (name, expected) => {
    const into = await tempFolder();
    const place = await intoFolder(into)(file(name));
    expect(place).toEqual({ path: join(into, expected.startsWith("out") ? "-..-out.txt" : expected) });
  });

  test("stores concurrent files of the same name separately", async () => {
    const into = join(folder, "many");
    const places = await Promise.all(Array.from({ length: 20 }, () => intoFolder(into)(file("a.txt"))));
    expect(new Set(places.map((place) => JSON.stringify(place))).size).toBe(20);
    expect(await readdir(into)).toHaveLength(20);
  });

  test("removes an incomplete file", async () => {
    async function* broken() {
      yield Buffer.from("half");
      throw new Error("gone");
    }
    const into = join(folder, "broken");
    await expect(intoFolder(into)(file("a.txt", broken()))).rejects.toThrow("gone");
    expect(await readdir(into)).toEqual([]);
  });

  test("streams a large file with flat memory", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let [taken, most] = [0, 0];
    async function* large() {
      for (; taken < 128; taken += 1) {
        most = Math.max(most, process.memoryUsage().arrayBuffers);
        yield Buffer.from(chunk);
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    await intoFolder(join(folder, "large"))(file("large.bin", large()));
    expect(taken).toBe(128);
    expect(most - before).toBeLessThan(96 * 1024 * 1024);
  });
});
