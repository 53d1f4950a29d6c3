/** Which tools a server offers, of those that its service has. */
import { suggestions } from "../core/suggestions";
import { type AllowableEffect, isAllowed, type ToolEntry } from "./allow";
import type { Tool, WatchResource } from "./protocol";

/** The tools of a service, sorted by name, and the sets they are offered in. */
export interface ToolList {
  readonly tools: readonly ToolEntry[];
  /** The names of the tools in each: `daily`, `all`, `watches` and the sections. */
  readonly toolsets: Readonly<Record<string, readonly string[]>>;
}

/** What the operator of a server offers. */
export interface Offer {
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly AllowableEffect[];
  /** Sets of tools: `daily` (the default), `all`, `watches`, or the name of a section, such as `trades`. */
  readonly toolsets?: readonly string[];
  /** More tools, by their names; alone, where no toolsets are named, only these. */
  readonly tools?: readonly string[];
  /** Only tools that read, whatever else is said. */
  readonly readOnly?: boolean;
  /**
   * `never`: what commits money runs without a person's release, unless the client has a policy, and each result says so. By
   * default every such call asks for one, or the policy of the client says which.
   */
  readonly release?: "never";
}

/** What decides whether a tool is offered. */
export interface ResolvedOffer {
  readonly allow: readonly AllowableEffect[];
  readonly names: ReadonlySet<string>;
  /** Whether no tool is left: none was chosen, or none of them is allowed. */
  readonly isEmpty: boolean;
  /** Whether the service has more tools. */
  readonly hasMore: boolean;
  /** Whether nothing needs a person's release. */
  readonly skipsRelease: boolean;
  /** Whether there are watches among them. */
  readonly hasWatches: boolean;
}

function unknownNameError(kind: string, name: string, known: readonly string[]): TypeError {
  const near = suggestions(name, known);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are ${known.join(", ")}.`;
  return new TypeError(`There is no ${kind} ${JSON.stringify(name)}. ${hint}`);
}

/** The tools that are meant. Throws a TypeError that names what there is instead. */
function requestedNames({ toolsets }: ToolList, offer: Offer): Set<string> {
  const { tools = [] } = offer;
  const all = toolsets.all!;
  for (const name of tools) if (!all.includes(name)) throw unknownNameError("tool", name, all);
  const chosen = offer.toolsets ?? (tools.length > 0 ? [] : ["daily"]);
  const inSets = chosen.flatMap((name) => {
    if (!Object.hasOwn(toolsets, name)) throw unknownNameError("toolset", name, Object.keys(toolsets));
    return toolsets[name]!;
  });
  return new Set([...inSets, ...tools]);
}

/** Throws a TypeError where a set or a tool is named that is not in the list. */
export function resolveOffer(list: ToolList, offer: Offer): ResolvedOffer {
  const allow = offer.readOnly ? [] : (offer.allow ?? []);
  const chosen = requestedNames(list, offer);
  // What belongs to others that are allowed.
  const companions = list.tools.filter((each) => each.beside !== undefined && isAllowed(each.beside, allow));
  const names = new Set([...chosen, ...companions.map(({ tool }) => tool.name)]);
  return {
    allow,
    names,
    isEmpty: !list.tools.some(({ tool, effect }) => names.has(tool.name) && isAllowed(effect, allow)),
    hasMore: chosen.size < list.tools.length,
    hasWatches: list.toolsets.watches!.some((name) => chosen.has(name)),
    skipsRelease: offer.release === "never",
  };
}

export const offeredTools = ({ tools }: ToolList, { allow, names }: ResolvedOffer): Tool[] =>
  tools
    .filter(({ effect, tool }) => names.has(tool.name) && isAllowed(effect, allow))
    .map(({ tool }) => tool);

export const offeredResources = ({ tools }: ToolList, { names }: ResolvedOffer): WatchResource[] =>
  tools.flatMap(({ tool, resource }) => (resource && names.has(tool.name) ? [resource] : []));

/** Words with commas between them, as a flag or a variable has them. */
export const splitWords = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
