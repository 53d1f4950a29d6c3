/** The built package as a TypeScript consumer meets it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { clientTypes } from "../../build/types";
import { operations } from "../../core/operations";
import { compiled } from "../support/consumer";

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

test.each(["cts", "mts"])("a strict .%s consumer compiles against what is built", async (extension) => {
  expect(await compiled({ [`consumer.${extension}`]: consumer })).toBe("");
});

test("what an editor shows of a method is written out for each operation", async () => {
  const types = await readFile(join(root, "dist/core/client/fxdesk-client.d.ts"), "utf8");
  expect(types).toBe(clientTypes(operations));
  for (const { name, summary } of operations) {
    expect(types).toContain(`Method<Named<"${name}">>`);
    expect(types).toContain(`   * ${summary}`);
  }
});
