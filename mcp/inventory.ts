/** Derives the tools of a server from the declarations of its service. */
import {
  callerFieldDocs,
  describeOperation,
  type EffectDoc,
  introduction,
  type OperationDoc,
} from "../core/spec/describe-operation";
import { type Callable, type Effect, isRequirementRule } from "../core/spec/operation";
import { type Field, modelFields } from "../core/spec/fields";
import { inputJsonSchema } from "../core/spec/json-schema";
import { requiresKey } from "../core/spec/check";
import { bySection } from "../core/spec/sections";
import { dailyOf, type ServiceDeclarations, declarationsOf } from "../core/spec/service";
import { isWatch, type Watch } from "../core/spec/watch";
import { metaOf } from "../core/values/kind";
import { keyArgument, keyProperty } from "./arguments";
import { compactSchema, type RenderText } from "./compact-schema";
import { cursorProperty, returnsRows } from "./read-list";
import type { Tool, ToolAnnotations, WatchResource } from "./protocol";
import type { JsonObject } from "./render/content";
import { argumentName, replaceWithToolNames, withArgumentNames } from "./render/names";
import { watchMimeType, watchUriRoot } from "./subscriptions";
import { watchInputProperties } from "./watch-tool";

/** A tool as hosts list it, and the facts by which it is offered. Plain data, because the build writes it as JSON. */
export interface ServerTool {
  readonly effect: Effect;
  readonly tool: Tool;
  /** The effect whose permission also offers this tool. See `companionOf` of `Callable`. */
  readonly companionOf?: Effect;
  /** Set for watches only. */
  readonly resource?: WatchResource;
}

/** The tools of a service, sorted by name, and the toolsets. */
export interface Inventory {
  readonly tools: readonly ServerTool[];
  /** Tool names by toolset: `daily`, `all`, `watches` and the sections. */
  readonly toolsets: Readonly<Record<string, readonly string[]>>;
}

const toolNamesOf = (declared: readonly Callable[]): string[] => declared.map(({ tool }) => tool);

/** Returns the tools and toolsets of a service. */
export function buildInventory(service: ServiceDeclarations): Inventory {
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

/** Returns the tools sorted by name: the same bytes every time, so that hosts can cache the list. */
export function toolsOf(operations: readonly Callable[]): ServerTool[] {
  const renderText = replaceWithToolNames(operations);
  return operations
    .map((operation) => ({
      effect: operation.effect,
      tool: toolOf(operation, renderText),
      ...(operation.companionOf && { companionOf: operation.companionOf }),
      ...(isWatch(operation) && { resource: resourceOf(operation) }),
    }))
    .toSorted((a, b) => (a.tool.name < b.tool.name ? -1 : 1));
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

/** Returns the input schema. Options that come from an earlier call are not listed; the error for a wrong one lists them. */
function toolInputSchema(operation: Callable): JsonObject {
  const { properties, required, ...rest } = inputJsonSchema(operation);
  const { lookedUp = {} } = operation;
  const all = properties as Readonly<Record<string, JsonObject>>;
  const fields = listedFields(operation).map(({ name, schema }) => {
    const { enum: options, ...open } = all[name]!;
    const described = metaOf(schema).fromEarlier && options ? open : all[name]!;
    const description = [described.description, lookedUp[name]?.description].filter(Boolean).join(" ");
    return [name, { ...described, ...(description !== "" && { description }) }] as const;
  });
  const names = new Set(fields.map(([name]) => name).filter((name) => !lookedUp[name]));
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

/** Returns the resource of a watch. It has a URI of its own if the watch has no required fields. */
function resourceOf(watch: Watch): WatchResource {
  const page = describeOperation(watch);
  const fields = callerFieldDocs(page);
  const names = [
    ...fields.map(({ name }) => argumentName(name)),
    ...Object.keys(watchInputProperties(watch)),
  ];
  const uri = `${watchUriRoot}${watch.tool}`;
  const isOpen =
    fields.every(({ requirement }) => requirement !== "required") && !page.rules.some(isRequirementRule);
  return {
    uriTemplate: `${uri}{?${names.join(",")}}`,
    ...(isOpen && { uri }),
    listed: { name: watch.tool, title: watch.title, description: watch.summary, mimeType: watchMimeType },
    everyMs: watch.everyMs,
  };
}
