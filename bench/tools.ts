/** Prints the tokens of the tool lists by toolset, and of the largest tools. */
import { fxdeskService } from "../core/client/fxdesk-service";
import { buildInventory } from "../mcp/inventory";
import type { Tool } from "../mcp/protocol";

const largest = 5;

/** Four bytes per token. */
const tokensOf = ({ name, description, inputSchema }: Tool): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify({ name, description, inputSchema })) / 4);

const { tools, toolsets } = buildInventory(fxdeskService);
const costs = tools.map(({ tool, effect }) => ({ name: tool.name, effect, tokens: tokensOf(tool) }));
const sum = (chosen: typeof costs) => chosen.reduce((total, { tokens }) => total + tokens, 0);
const sumOfSet = (set: string) => sum(costs.filter(({ name }) => toolsets[set]!.includes(name)));
console.table({
  daily: { tokens: sumOfSet("daily") },
  all: { tokens: sumOfSet("all") },
  "read-only": { tokens: sum(costs.filter(({ effect }) => effect === "read")) },
});
console.table(costs.toSorted((one, other) => other.tokens - one.tokens).slice(0, largest));
