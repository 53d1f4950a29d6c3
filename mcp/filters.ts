/** Selects the tools that a server offers. */
import { suggestions } from "../core/values/suggestions";
import { type AllowableEffect, isAllowed, type ToolEntry } from "./allow";
import type { Tool, WatchResource } from "./protocol";

/** The tools of a service, sorted by name, and the toolsets. */
export interface ToolList {
  readonly tools: readonly ToolEntry[];
  /** Tool names by toolset: `daily`, `all`, `watches` and the sections. */
  readonly toolsets: Readonly<Record<string, readonly string[]>>;
}

/** The tools that the operator of a server chooses, and their permissions. */
export interface Offer {
  /** Permissions beyond reading. Default: none. */
  readonly allow?: readonly AllowableEffect[];
  /** Toolsets: `daily` (the default), `all`, `watches`, or a section, for example `trades`. */
  readonly toolsets?: readonly string[];
  /** Additional tools by name. Without `toolsets`, only these are offered. */
  readonly tools?: readonly string[];
  /** Offers only tools that read; overrides `allow`. */
  readonly readOnly?: boolean;
  /**
   * `never`: calls that move money run without release, unless the client has a policy, and each result states this. By default
   * the policy of the client decides, or every such call needs a release.
   */
  readonly release?: "never";
}

/** The offer, with tool names and permissions resolved. */
export interface ResolvedOffer {
  readonly allow: readonly AllowableEffect[];
  readonly names: ReadonlySet<string>;
  /** True if no tool is left: none was chosen, or none of the chosen is allowed. */
  readonly isEmpty: boolean;
  /** True if the service has more tools. */
  readonly hasMore: boolean;
  /** True if no call needs a release. */
  readonly skipsRelease: boolean;
  /** True if at least one watch was chosen. */
  readonly hasWatches: boolean;
}

function unknownNameError(kind: string, name: string, known: readonly string[]): TypeError {
  const similar = suggestions(name, known);
  const hint =
    similar.length > 0 ? `Did you mean ${similar.join(" or ")}?` : `Known names: ${known.join(", ")}.`;
  return new TypeError(`There is no ${kind} ${JSON.stringify(name)}. ${hint}`);
}

/** Returns the chosen tool names. Throws a TypeError with suggestions for an unknown name. */
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

/** Resolves an offer. Throws a TypeError for an unknown toolset or tool. */
export function resolveOffer(list: ToolList, offer: Offer): ResolvedOffer {
  const allow = offer.readOnly ? [] : (offer.allow ?? []);
  const chosen = requestedNames(list, offer);
  // Companion tools, for example get_release beside tools that move money.
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

/** Splits a comma-separated flag or variable. */
export const splitWords = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
