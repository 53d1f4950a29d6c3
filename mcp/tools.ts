/** The tools that derive from operations. */
import type { Declaration, Effect, Rule } from "../core/declaration/operation";
import { modelFields } from "../core/declaration/fields";
import { inputJsonSchema } from "../core/declaration/json-schema";
import { metaOf } from "../core/schema/kind";
import type { ToolEntry } from "./allow";
import { compactSchema, type RenderText } from "./compact-schema";
import { inArgumentNames } from "./names";
import type { JsonObject, Tool, ToolAnnotations } from "./protocol";
import { cursorArgument, returnsRows } from "./row-range";

/**
 * Nothing here is idempotent but a read, and what comes back is written by other people: an open world. What commits money
 * or deletes cannot be taken back by another call.
 */
const annotationsOf = ({ effect, method }: Declaration): ToolAnnotations => ({
  readOnlyHint: effect === "read",
  destructiveHint: effect === "money" || method === "DELETE",
  ...(effect !== "read" && { idempotentHint: false }),
  openWorldHint: true,
});

const warnings: Readonly<Record<Effect, string>> = {
  read: "",
  change: "Changes something.",
  money: "Runs at once: call it only after the user has said yes to these exact terms.",
};

/** What must be given; what must not is told to who gives it. */
const told: ReadonlySet<Rule["kind"]> = new Set<Rule["kind"]>(["exactly-one", "needed-by", "needed-unless"]);

const rulesOf = ({ rules = [] }: Declaration) =>
  rules.filter(({ kind }) => told.has(kind)).map(({ description }) => description);

/** Which responses there are, where there is more than one. */
function responsesOf({ responses }: Declaration): string {
  const entries = Object.entries(responses);
  return entries.length > 1
    ? entries.map(([status, { description }]) => `${status}: ${description}`).join(" ")
    : "";
}

/** One paragraph: what it does, what to know, what it changes, what comes back. */
const describe = (operation: Declaration): string =>
  [
    operation.summary,
    operation.notes,
    ...rulesOf(operation),
    warnings[operation.effect],
    responsesOf(operation),
  ]
    .filter(Boolean)
    .join(" ");

/** Texts name other operations as the client does; a model knows them as tools. */
export function toolNames(operations: readonly Declaration[]): RenderText {
  const tools = new Map(operations.map(({ name, tool }) => [name, tool]));
  return (text) => text.replace(/\b[a-z]\w*\.[a-z]\w*\b/gi, (name) => tools.get(name) ?? name);
}

/** The argument by which a list goes on. */
const cursorProperty = { [cursorArgument]: { type: "string", description: "From next." } };

/** What a model fills. Options that it has from an earlier call are not listed; who guesses is told them. */
function inputOf(operation: Declaration): JsonObject {
  const { properties, required, ...rest } = inputJsonSchema(operation);
  const all = properties as Readonly<Record<string, JsonObject>>;
  const fields = modelFields(operation).map(({ name, schema }) => {
    const { enum: options, ...open } = all[name]!;
    return [name, metaOf(schema).fromEarlier && options ? open : all[name]!] as const;
  });
  const names = new Set(fields.map(([name]) => name));
  const needed = ((required ?? []) as string[]).filter((name) => names.has(name));
  return {
    ...rest,
    properties: { ...Object.fromEntries(fields), ...(returnsRows(operation) && cursorProperty) },
    ...(needed.length > 0 && { required: needed }),
  };
}

function toolOf(operation: Declaration, renderText: RenderText): Tool {
  const worded: RenderText = (text) => renderText(inArgumentNames(operation, text));
  return {
    name: operation.tool,
    title: operation.title,
    description: worded(describe(operation)),
    inputSchema: compactSchema(inputOf(operation), worded) as Tool["inputSchema"],
    annotations: annotationsOf(operation),
  };
}

/** The tools of all operations, sorted by name: the same list, byte for byte, every time. */
export function toolsOf(operations: readonly Declaration[]): ToolEntry[] {
  const renderText = toolNames(operations);
  return operations
    .map((operation) => ({ effect: operation.effect, tool: toolOf(operation, renderText) }))
    .toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}
