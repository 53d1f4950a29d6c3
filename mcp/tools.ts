/** The tools that derive from what is declared. */
import {
  type DescribedEffect,
  introduction,
  type DescribedPage,
  pageOf,
} from "../core/declaration/described-page";
import { type Callable, requires } from "../core/declaration/operation";
import { type Field, modelFields } from "../core/declaration/fields";
import { inputJsonSchema } from "../core/declaration/json-schema";
import { needsKey } from "../core/declaration/key";
import { bySection } from "../core/declaration/sections";
import { dailyOf, type Declared, declarationsOf } from "../core/declaration/service";
import { isWatch } from "../core/declaration/watch";
import { metaOf } from "../core/schema/kind";
import type { ToolEntry } from "./allow";
import { watchProperties } from "./changes";
import { compactSchema, type RenderText } from "./compact-schema";
import { inArgumentNames } from "./names";
import type { ToolList } from "./offer";
import type { JsonObject, Tool, ToolAnnotations } from "./protocol";
import { keyArgument, keyProperty } from "./request-key";
import { cursorArgument, returnsRows } from "./row-range";
import { watchResourceOf } from "./watch-resource";

/** By the meaning of methods: a POST adds something. */
const overwrites = (callable: object): boolean => "method" in callable && callable.method !== "POST";

/**
 * Nothing here is idempotent but a read, and what comes back is written by other people: an open world. What commits money,
 * deletes, or takes the place of what was there, cannot be taken back by another call.
 */
const annotationsOf = ({ effect, ...callable }: Callable): ToolAnnotations => ({
  readOnlyHint: effect === "read",
  destructiveHint: effect === "money" || (effect === "change" && overwrites(callable)),
  ...(effect !== "read" && { idempotentHint: false }),
  openWorldHint: true,
});

/** Annotations tell what only reads; what moves money asks something of a model. */
const warningOf = ({ kind }: DescribedEffect): string =>
  kind === "money" ? "Call only after the user's yes to these exact terms." : "";

/** Which responses there are, where there is more than one. */
const responsesOf = ({ responses }: DescribedPage): string[] =>
  responses.length > 1 ? responses.map(({ status, description }) => `${status}: ${description}`) : [];

/** The fields that a tool lists, of those that it takes. */
export const listedFields = (operation: Callable): readonly Field[] =>
  modelFields(operation).filter(({ schema }) => {
    const { listedBy = operation.name, deprecated } = metaOf(schema);
    return listedBy === operation.name && !deprecated;
  });

/** One paragraph: what it does, what to know, what must be given, what it changes and what comes back. */
function describe(callable: Callable): string {
  const page = pageOf(callable);
  const listed = new Set(listedFields(callable).map(({ name }) => name));
  const rules = page.rules.filter((rule) => requires(rule) && rule.fields.every((name) => listed.has(name)));
  return [
    introduction(page),
    // What must not be given is told to who gives it.
    ...rules.map(({ description }) => description),
    warningOf(page.effect),
    ...responsesOf(page),
  ]
    .filter(Boolean)
    .join(" ");
}

/** Texts name other operations as the client does; a model knows them as tools. */
export function toolNames(operations: readonly Callable[]): RenderText {
  const tools = new Map(operations.map(({ name, tool }) => [name, tool]));
  return (text) => text.replace(/\b[a-z]\w*\.[a-z]\w*\b/gi, (name) => tools.get(name) ?? name);
}

/** The argument by which a list goes on. */
const cursorProperty = {
  [cursorArgument]: {
    type: "string",
    description: "From `next` of the last result.",
  },
};

/** What a model fills. Options that it has from an earlier call are not listed; who guesses is told them. */
function inputOf(operation: Callable): JsonObject {
  const { properties, required, ...rest } = inputJsonSchema(operation);
  const all = properties as Readonly<Record<string, JsonObject>>;
  const fields = listedFields(operation).map(({ name, schema }) => {
    const { enum: options, ...open } = all[name]!;
    return [name, metaOf(schema).fromEarlier && options ? open : all[name]!] as const;
  });
  const names = new Set(fields.map(([name]) => name));
  const needed = ((required ?? []) as string[]).filter((name) => names.has(name));
  if (needsKey(operation)) needed.push(keyArgument);
  return {
    ...rest,
    properties: {
      ...Object.fromEntries(fields),
      ...(isWatch(operation) ? watchProperties(operation) : returnsRows(operation) && cursorProperty),
      ...(operation.effect === "money" && keyProperty),
    },
    ...(needed.length > 0 && { required: needed }),
  };
}

function toolOf(operation: Callable, renderText: RenderText): Tool {
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
export function toolsOf(operations: readonly Callable[]): ToolEntry[] {
  const renderText = toolNames(operations);
  return operations
    .map((operation) => ({
      effect: operation.effect,
      tool: toolOf(operation, renderText),
      ...(operation.beside && { beside: operation.beside }),
      ...(isWatch(operation) && { resource: watchResourceOf(operation) }),
    }))
    .toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

const namesOf = (declared: readonly Callable[]): string[] => declared.map(({ tool }) => tool);

/** The tools of all that a service declares, and the sets they are offered in. */
export function toolListOf(service: Declared): ToolList {
  const all = declarationsOf(service);
  const sections = [...bySection(all)].map(([section, members]) => [section, namesOf(members)] as const);
  return {
    tools: toolsOf(all),
    toolsets: {
      daily: namesOf(dailyOf(service)),
      all: namesOf(all),
      watches: namesOf(service.watches ?? []),
      ...Object.fromEntries(sections),
    },
  };
}
