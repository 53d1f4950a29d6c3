/** The built package as a TypeScript consumer meets it. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientTypes } from "../../build/types";
import { operations } from "../../core/operations";

const run = promisify(execFile);
const root = join(__dirname, "../..");

const consumer = `
import { createClient, FxdeskError, type FxdeskClient } from "@fxdesk/toolkit";

const client: FxdeskClient = createClient({ domain: "example.com", clientId: "c" });

export async function use(): Promise<string | undefined> {
  const booked = await client.trades.book({ quote_id: "q", reason: "mortage_repayment" });
  const margin: number | undefined = booked.initial_margin_amount;
  for await (const trade of client.trades.list.all({ trade_type: ["spot"] })) {
    const rate: number = trade.rate;
    if (rate > 1) break;
  }
  const { status, body } = await client.statements.getFile({ account_id: "a", statement_id: "s" });
  if (status === 202) return body.status;
  await body.save("statement.pdf");
  // @ts-expect-error a reason is needed
  await client.trades.book({ quote_id: "q" });
  // @ts-expect-error the contract has no such reason
  await client.trades.book({ quote_id: "q", reason: "mortgage_repayment" });
  // @ts-expect-error the connection gives the client
  await client.trades.list({ client_id: "c" });
  // @ts-expect-error not a list of pages
  client.trades.get.all({ trade_id: "t" });
  return margin === undefined ? undefined : new Error() instanceof FxdeskError ? "error" : String(margin);
}
`;

const compilerOptions = {
  strict: true,
  noEmit: true,
  module: "node20",
  target: "es2023",
  lib: ["es2023"],
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
};

test.each(["cts", "mts"])("a strict .%s consumer compiles against what is built", async (extension) => {
  const folder = await mkdtemp(join(tmpdir(), "fxdesk-consumer-"));
  await mkdir(join(folder, "node_modules/@fxdesk"), { recursive: true });
  await symlink(root, join(folder, "node_modules/@fxdesk/toolkit"));
  await writeFile(join(folder, `consumer.${extension}`), consumer);
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: [`consumer.${extension}`] }),
  );
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = await run(process.execPath, [tsc, "-p", folder]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe("");
  await rm(folder, { recursive: true });
});

test("what an editor shows of a method is written out for each operation", async () => {
  const types = await readFile(join(root, "dist/core/client/fxdesk-client.d.ts"), "utf8");
  expect(types).toBe(clientTypes(operations));
  for (const { name, summary } of operations) {
    expect(types).toContain(`Method<Named<"${name}">>`);
    expect(types).toContain(`   * ${summary}`);
  }
});
