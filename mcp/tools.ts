/** Derives tools from declarations. */
import {
  type EffectDoc,
  introduction,
  type OperationDoc,
  describeOperation,
} from "../core/spec/describe-operation";
import { type Callable, isRequirementRule } from "../core/spec/operation";
import { type Field, modelFields } from "../core/spec/fields";
import { inputJsonSchema } from "../core/spec/json-schema";
import { requiresKey } from "../core/spec/check";
import { bySection } from "../core/spec/sections";
import { dailyOf, type ServiceDeclarations, declarationsOf } from "../core/spec/service";
import { isWatch } from "../core/spec/watch";
import { metaOf } from "../core/values/kind";
import type { ToolEntry } from "./allow";
import { watchInputProperties } from "./watch-tool";
import { compactSchema, type RenderText } from "./compact-schema";
import { withArgumentNames } from "./argument-names";
import type { ToolList } from "./offer";
import type { JsonObject, Tool, ToolAnnotations } from "./protocol";
import { keyArgument, keyProperty } from "./request-key";
import { cursorArgument, returnsRows } from "./row-range";
import { watchResourceOf } from "./watch-resource";

/** True for methods that replace or delete; a POST adds. */
const overwrites = (callable: object): boolean => "method" in callable && callable.method !== "POST";

/**
 * Only reads are idempotent. The world is open, because results contain text of other people. Calls that move money, delete
 * or replace are destructive, because no other call undoes them.
 */
const annotationsOf = ({ effect, ...callable }: Callable): ToolAnnotations => ({
  readOnlyHint: effect === "read",
  destructiveHint: effect === "money" || (effect === "change" && overwrites(callable)),
  ...(effect !== "read" && { idempotentHint: false }),
  openWorldHint: true,
});

/** Returns the instruction for tools that move money. */
const warningText = ({ kind }: EffectDoc): string =>
  kind === "money" ? "Call only after the user confirms these exact terms." : "";

/** Lists the responses if there are several. */
const responseTexts = ({ responses }: OperationDoc): string[] =>
  responses.length > 1 ? responses.map(({ status, description }) => `${status}: ${description}`) : [];

/** Returns the fields in the input schema. A tool accepts more than it lists, for example deprecated ones. */
export const listedFields = (operation: Callable): readonly Field[] =>
  modelFields(operation).filter(({ schema }) => {
    const { listedBy = operation.name, deprecated } = metaOf(schema);
    return listedBy === operation.name && !deprecated;
  });

/** Returns one paragraph: purpose, required fields, warning and responses. */
function toolDescription(callable: Callable): string {
  const page = describeOperation(callable);
  const listed = new Set(listedFields(callable).map(({ name }) => name));
  const rules = page.rules.filter(
    (rule) => isRequirementRule(rule) && rule.fields.every((name) => listed.has(name)),
  );
  return [
    introduction(page),
    // Other rules are reported only to callers who violate them.
    ...rules.map(({ description }) => description),
    warningText(page.effect),
    ...responseTexts(page),
  ]
    .filter(Boolean)
    .join(" ");
}

/** Replaces method names of the client, for example `trades.list`, with tool names. */
export function replaceWithToolNames(operations: readonly Callable[]): RenderText {
  const tools = new Map(operations.map(({ name, tool }) => [name, tool]));
  return (text) => text.replace(/\b[a-z]\w*\.[a-z]\w*\b/gi, (name) => tools.get(name) ?? name);
}

const cursorProperty = {
  [cursorArgument]: {
    type: "string",
    description: "From `next` of the last result.",
  },
};

/** Returns the input schema. Options that come from an earlier call are not listed; the error for a wrong one lists them. */
function toolInputSchema(operation: Callable): JsonObject {
  const { properties, required, ...rest } = inputJsonSchema(operation);
  const all = properties as Readonly<Record<string, JsonObject>>;
  const fields = listedFields(operation).map(({ name, schema }) => {
    const { enum: options, ...open } = all[name]!;
    return [name, metaOf(schema).fromEarlier && options ? open : all[name]!] as const;
  });
  const names = new Set(fields.map(([name]) => name));
  const requiredNames = ((required ?? []) as string[]).filter((name) => names.has(name));
  if (requiresKey(operation)) requiredNames.push(keyArgument);
  return {
    ...rest,
    properties: {
      ...Object.fromEntries(fields),
      ...(isWatch(operation) ? watchInputProperties(operation) : returnsRows(operation) && cursorProperty),
      ...(operation.effect === "money" && keyProperty),
    },
    ...(requiredNames.length > 0 && { required: requiredNames }),
  };
}

function toolOf(operation: Callable, renderText: RenderText): Tool {
  const renderNames: RenderText = (text) => renderText(withArgumentNames(operation, text));
  return {
    name: operation.tool,
    title: operation.title,
    description: renderNames(toolDescription(operation)),
    inputSchema: compactSchema(toolInputSchema(operation), renderNames) as Tool["inputSchema"],
    annotations: annotationsOf(operation),
  };
}

/** Returns the tools sorted by name: the same bytes every time, so that hosts can cache the list. */
export function toolsOf(operations: readonly Callable[]): ToolEntry[] {
  const renderText = replaceWithToolNames(operations);
  return operations
    .map((operation) => ({
      effect: operation.effect,
      tool: toolOf(operation, renderText),
      ...(operation.companionOf && { beside: operation.companionOf }),
      ...(isWatch(operation) && { resource: watchResourceOf(operation) }),
    }))
    .toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
}

const toolNamesOf = (declared: readonly Callable[]): string[] => declared.map(({ tool }) => tool);

/** Returns the tools and toolsets of a service. */
export function toolListOf(service: ServiceDeclarations): ToolList {
  const all = declarationsOf(service);
  const sections = [...bySection(all)].map(([section, members]) => [section, toolNamesOf(members)] as const);
  return {
    tools: toolsOf(all),
    toolsets: {
      daily: toolNamesOf(dailyOf(service)),
      all: toolNamesOf(all),
      watches: toolNamesOf(service.watches ?? []),
      ...Object.fromEntries(sections),
    },
  };
}
