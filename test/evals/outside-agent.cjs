/** An agent as a command: it places the order of the task, and answers with the trade ID. */
const { readFileSync } = require("node:fs");
const { setTimeout: sleep } = require("node:timers/promises");
const { Client } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

async function main() {
  const [, amount] = /Sell ([\d,]+) EUR/.exec(readFileSync(0, "utf8"));
  const { mcpServers } = JSON.parse(readFileSync(process.env.FXDESK_EVALS_SERVER, "utf8"));
  const client = new Client({ name: "outside", version: "1.0.0" });
  await client.connect(new StdioClientTransport({ ...mcpServers.fxdesk, stderr: "ignore" }));
  const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;
  const { release } = await call("order_trade", {
    sell_currency: "EUR",
    buy_currency: "USD",
    amount: amount.replace(",", ""),
    fixed_side: "sell",
    largest_distance: "1",
    reason: "payment_for_goods",
    valid_until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  let report;
  do {
    await sleep(100);
    report = await call("get_release", { release });
  } while (report.state !== "booked");
  await client.close();
  console.log(`The order is booked.\n${JSON.stringify({ trade_id: report.trade_id })}`);
}

void main();
