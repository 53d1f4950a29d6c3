/** The tools that derive from operations. */
import type { Declaration, Effect } from "../core/operations/declaration";
import { inputJsonSchema } from "../core/operations/json-schema";
import type { ToolEntry } from "./allow";
import { lean, type Wording } from "./lean";
import type { Tool, ToolAnnotations } from "./protocol";

/** Nothing here is idempotent but a read, and what comes back is written by other people: an open world. */
const annotations: Readonly<Record<Effect, ToolAnnotations>> = {
  read: { readOnlyHint: true, destructiveHint: false, openWorldHint: true },
  change: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  money: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};

const warnings: Readonly<Record<Effect, string>> = {
  read: "",
  change: "Changes something at the service.",
  money:
    "Commits or moves money, or changes who may approve it. It runs at once, without another confirmation: " +
    "call it only after the user has said yes to these exact terms.",
};

const rulesOf = ({ rules = [] }: Declaration) => rules.map(({ says }) => says);

/** Which answers there are, where there is more than one. */
function answersOf({ answers }: Declaration): string {
  const entries = Object.entries(answers);
  return entries.length > 1 ? entries.map(([status, { says }]) => `${status}: ${says}`).join(" ") : "";
}

const pagingOf = ({ pages }: Declaration) =>
  pages ? `Comes in pages: while the result has next_page, call again with it as ${pages.page}.` : "";

/** One paragraph: what it does, what to know, what it changes, what comes back. */
const describe = (operation: Declaration): string =>
  [
    operation.summary,
    operation.notes,
    ...rulesOf(operation),
    warnings[operation.effect],
    answersOf(operation),
    pagingOf(operation),
  ]
    .filter(Boolean)
    .join(" ");

/** Texts name other operations as the client does; a model knows them as tools. */
export function toolNames(operations: readonly Declaration[]): Wording {
  const tools = new Map(operations.map(({ name, tool }) => [name, tool]));
  return (text) => text.replace(/\b[a-z]\w*\.[a-z]\w*\b/gi, (name) => tools.get(name) ?? name);
}

const toolOf = (operation: Declaration, wording: Wording): Tool => ({
  name: operation.tool,
  title: operation.title,
  description: wording(describe(operation)),
  inputSchema: lean(inputJsonSchema(operation), wording) as Tool["inputSchema"],
  annotations: annotations[operation.effect],
});

/** The tools of all operations, sorted by name: the same list, byte for byte, every time. */
export function toolsOf(operations: readonly Declaration[]): ToolEntry[] {
  const wording = toolNames(operations);
  return operations
    .map((operation) => ({ effect: operation.effect, tool: toolOf(operation, wording) }))
    .toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}
