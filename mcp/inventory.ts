/** Derives the tools of a server from the declarations of its service. */
import type { z } from "zod";
import {
  callerFieldDocs,
  describeOperation,
  type EffectDoc,
  introduction,
  type OperationDoc,
} from "../core/spec/describe-operation";
import { createdIdName, toSnakeCase } from "../core/spec/created-resources";
import { type Callable, type Declaration, type Effect, isRequirementRule } from "../core/spec/operation";
import { type Field, fieldsOf, modelFields } from "../core/spec/fields";
import { inputJsonSchema } from "../core/spec/json-schema";
import { requiresKey } from "../core/spec/check";
import { bySection, splitName } from "../core/spec/sections";
import { dailyOf, type ServiceDeclarations, declarationsOf } from "../core/spec/service";
import { isProcedure } from "../core/spec/procedure";
import { isWatch, type Watch } from "../core/spec/watch";
import { metaOf } from "../core/values/kind";
import { keyArgument, keyProperty } from "./arguments";
import { cardMetaOf } from "./cards";
import { compactSchema, type RenderText } from "./compact-schema";
import { cursorProperty, returnsRows } from "./read-list";
import type { Tool, ToolAnnotations, WatchResource } from "./protocol";
import type { JsonObject } from "./render/content";
import { argumentName, replaceWithToolNames, withArgumentNames } from "./render/names";
import { schemaPartsOf } from "./render/values";
import { watchMimeType, watchUriRoot } from "./subscriptions";
import { watchAsCallable, watchInputProperties } from "./watch-tool";

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
  const bySectionName = bySection(all);
  const sections = [...bySectionName].map(([section, members]) => {
    const needed = sectionsNeededBy(members, service.operations).flatMap((name) =>
      withoutDetails(bySectionName.get(name)!),
    );
    return [section, toolNamesOf([...new Set([...members, ...needed])])] as const;
  });
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

/** Returns the sections from which a section takes what its calls need: quotes, and IDs of created resources. */
function sectionsNeededBy(members: readonly Callable[], operations: readonly Declaration[]): string[] {
  const own = operations.filter((operation) => members.includes(operation));
  const needsQuotes = own.some(({ commits }) => commits !== "none" && commits?.quote !== undefined);
  const taken = new Set(own.flatMap((each) => fieldsOf(each).map(({ name }) => toSnakeCase(name))));
  const sources = operations.filter(
    (each) => (needsQuotes && each.quotes) || taken.has(createdIdName(each) ?? ""),
  );
  return [...new Set(sources.map((source) => splitName(source)[0]))];
}

/** Leaves out watches, and operations on what is created within a resource, such as authorisations of a consent. */
function withoutDetails(members: readonly Callable[]): readonly Callable[] {
  const paths = members.map((each) => ("path" in each ? (each as Declaration) : undefined));
  const inner = paths.flatMap((each) =>
    each?.method === "POST" && each.path.includes("{") ? each.path : [],
  );
  return members.filter(
    (each, index) => !isWatch(each) && !inner.some((path) => paths[index]?.path.startsWith(path)),
  );
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
  const meta = cardMetaOf(operation);
  return {
    name: operation.tool,
    title: operation.title,
    description: renderNames(toolDescription(operation)),
    inputSchema: compactSchema(toolInputSchema(operation), renderNames) as Tool["inputSchema"],
    ...(operation.effect === "read" && { outputSchema: outputSchemaOf(operation, renderNames) }),
    annotations: annotationsOf(operation),
    ...(meta && { _meta: meta }),
  };
}

/** True for procedures that call no operation of the service. */
const isLocal = (callable: Callable): boolean => isProcedure(callable) && callable.uses.length === 0;

/** True for calls that replace or delete: other methods than POST, and local changes, which withdraw. */
const overwrites = (callable: Callable): boolean =>
  isLocal(callable) || ("method" in callable && callable.method !== "POST");

/**
 * Calls that replace or delete have the same effect when they are repeated. The world is open, which is the default, if the service is called. Calls that
 * move money, delete or replace are destructive, because no other call undoes them.
 */
const annotationsOf = (callable: Callable): ToolAnnotations => ({
  readOnlyHint: callable.effect === "read",
  destructiveHint: callable.effect === "money" || (callable.effect === "change" && overwrites(callable)),
  ...(callable.effect !== "read" && overwrites(callable) && { idempotentHint: true }),
  ...(isLocal(callable) && { openWorldHint: false }),
});

/** Returns the instruction for tools that move money. */
const warningText = ({ kind }: EffectDoc): string =>
  kind === "money" ? "Call only after the user confirms these exact terms." : "";

/** Lists the responses if there are several. */
const responseTexts = ({ responses }: OperationDoc): string[] =>
  responses.length > 1 ? responses.map(({ status, description }) => `${status}: ${description}`) : [];

/**
 * Returns the fields in the input schema. A tool accepts more than it lists, for example deprecated fields, and the page number,
 * which `continue` replaces.
 */
export const listedFields = (operation: Callable): readonly Field[] =>
  modelFields(operation).filter(({ name, schema }) => {
    const { listedBy = operation.name, deprecated } = metaOf(schema);
    return listedBy === operation.name && !deprecated && name !== operation.pages?.page;
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

/** Describes fields without their types. */
function describedFields(shape: Readonly<Record<string, z.ZodType>>, renderText: RenderText): JsonObject {
  const fields = Object.entries(shape).map(([name, inner]) => {
    const { description } = metaOf(inner);
    return [name, description === undefined ? {} : { description: renderText(description) }] as const;
  });
  return Object.fromEntries(fields);
}

/** Describes the rows of a list that fxdesk made. */
function rowsSchema(schema: z.ZodType, renderText: RenderText): JsonObject {
  const { element } = schemaPartsOf(schema);
  const shape = element && schemaPartsOf(element).shape;
  const properties = shape && describedFields(shape, renderText);
  return element ? { type: "array", items: shape ? { type: "object", properties } : {} } : {};
}

/**
 * Returns a loose schema of the structured content of a tool that reads. Values of the service have no types, because those that
 * differ from the contract are passed on. Nothing is required, because parts may be in other results.
 */
function outputSchemaOf(operation: Callable, renderText: RenderText): NonNullable<Tool["outputSchema"]> {
  const { responses } = isWatch(operation) ? watchAsCallable(operation) : operation;
  const [response, ...others] = Object.values(responses);
  if (response?.kind !== "json" || others.length > 0) return { type: "object" };
  const { shape, element } = schemaPartsOf(response.schema);
  if (element)
    return {
      type: "object",
      properties: {
        count: { type: "integer", description: "Number of entries in this result." },
        items: { type: "array", description: response.description },
      },
    };
  const isOurs = isWatch(operation) || isProcedure(operation);
  const described = describedFields(shape ?? {}, renderText);
  const properties = Object.entries(described).map(([name, inner]) => [
    name,
    { ...(inner as JsonObject), ...(isOurs && rowsSchema(shape![name]!, renderText)) },
  ]);
  return { type: "object", properties: Object.fromEntries(properties) as JsonObject };
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
