/** Prints the tokens of the tool lists (four bytes each) by toolset, and the largest tools. */
import { fxdeskService } from "../core/client/fxdesk-service";
import type { Tool } from "../mcp/protocol";
import { buildInventory } from "../mcp/inventory";

const largest = 5;

const tokensOf = ({ name, description, inputSchema }: Tool): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) / 4);

export function benchToolTokens(): void {
  const { tools, toolsets } = buildInventory(fxdeskService);
  const costs = tools.map(({ tool, effect }) => ({ name: tool.name, effect, tokens: tokensOf(tool) }));
  const sum = (chosen: typeof costs) => chosen.reduce((total, { tokens }) => total + tokens, 0);
  console.log("Tokens of the tools");
  for (const set of ["daily", "all"])
    console.log(`  ${set}: ${sum(costs.filter(({ name }) => toolsets[set]!.includes(name)))}`);
  console.log(`  read-only: ${sum(costs.filter(({ effect }) => effect === "read"))}`);
  for (const { name, tokens } of costs.toSorted((one, other) => other.tokens - one.tokens).slice(0, largest))
    console.log(`  ${name}: ${tokens}`);
}
