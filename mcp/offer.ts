/** Which tools a server offers, of those that its service has. */
import { type Callable } from "../core/declaration/operation";
import { bySection } from "../core/declaration/sections";
import { callablesOf, type Declared, dailyOf, declarationsOf } from "../core/declaration/service";
import { nearest } from "../core/nearest";
import { type Allowed, isAllowed, type ToolEntry } from "./allow";
import type { Tool, WatchResource } from "./protocol";

/** What the operator of a server offers. */
export interface Offer {
  /** What tools may do beyond reading; nothing by default. */
  readonly allow?: readonly Allowed[];
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
export interface Offered {
  readonly allow: readonly Allowed[];
  readonly names: ReadonlySet<string>;
  /** Whether the service has more tools. */
  readonly hasMore: boolean;
  /** Whether nothing needs a person's release. */
  readonly isReleased: boolean;
  /** Whether there are watches among them. */
  readonly hasWatches: boolean;
}

const sets = {
  daily: dailyOf,
  all: declarationsOf,
  watches: ({ watches = [] }: Declared): readonly Callable[] => watches,
} as const;

/** The sets of tools of a service, by name. */
export function toolsetsOf(service: Declared): ReadonlyMap<string, readonly Callable[]> {
  const named = Object.entries(sets).map(([name, members]) => [name, members(service)] as const);
  return new Map<string, readonly Callable[]>([...named, ...bySection(declarationsOf(service))]);
}

function wrong(what: string, name: string, known: readonly string[]): TypeError {
  const near = nearest(name, known);
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : `There are ${known.join(", ")}.`;
  return new TypeError(`There is no ${what} ${JSON.stringify(name)}. ${hint}`);
}

/** The tools that are meant. Throws a TypeError that names what there is instead. */
function namesOf(service: Declared, { toolsets, tools = [] }: Offer): Set<string> {
  const known = toolsetsOf(service);
  const all = declarationsOf(service).map(({ tool }) => tool);
  for (const name of tools) if (!all.includes(name)) throw wrong("tool", name, all);
  const chosen = toolsets ?? (tools.length > 0 ? [] : ["daily"]);
  const inSets = chosen.flatMap((name) => {
    const members = known.get(name);
    if (!members) throw wrong("toolset", name, [...known.keys()]);
    return members.map(({ tool }) => tool);
  });
  return new Set([...inSets, ...tools]);
}

/** Whether a tool belongs to others that are allowed. */
export const isBeside = ({ beside }: Pick<Callable, "beside">, allow: readonly Allowed[]): boolean =>
  beside !== undefined && isAllowed(beside, allow);

export function offeredOf(service: Declared, offer: Offer): Offered {
  const allow = offer.readOnly ? [] : (offer.allow ?? []);
  const chosen = namesOf(service, offer);
  const hasMore = chosen.size < declarationsOf(service).length;
  const hasWatches = sets.watches(service).some(({ tool }) => chosen.has(tool));
  const beside = callablesOf(service).filter((each) => isBeside(each, allow));
  const names = new Set([...chosen, ...beside.map(({ tool }) => tool)]);
  return { allow, names, hasMore, hasWatches, isReleased: offer.release === "never" };
}

export const offeredTools = (entries: readonly ToolEntry[], { allow, names }: Offered): Tool[] =>
  entries
    .filter(({ effect, tool }) => names.has(tool.name) && isAllowed(effect, allow))
    .map(({ tool }) => tool);

export const offeredResources = (entries: readonly ToolEntry[], { names }: Offered): WatchResource[] =>
  entries.flatMap(({ tool, resource }) => (resource && names.has(tool.name) ? [resource] : []));

/** Words with commas between them, as a flag or a variable has them. */
export const wordsIn = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
