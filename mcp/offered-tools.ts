/** Selects the tools that a server offers. Lists and errors about tools that are not offered come from here only. */
import type { Effect } from "../core/spec/operation";
import { suggestions } from "../core/values/suggestions";
import type { Inventory, ServerTool } from "./inventory";
import type { Tool, WatchResource } from "./protocol";
import { errorResult, type ToolResult } from "./render/content";
import { hideInDescriptions, hideTools, type HideTools } from "./tool-names";

/** Effects that are off until the operator allows them. The two are independent. */
export type AllowableEffect = Exclude<Effect, "read">;

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

/** The tools of an inventory that an offer selects. */
export interface Selection {
  /** Chosen and allowed, in the order of the inventory. */
  readonly tools: readonly Tool[];
  readonly resources: readonly WatchResource[];
  /** Names of the chosen tools, also of those that are not allowed. */
  readonly names: ReadonlySet<string>;
  /** Leaves tools that are not offered out of a text. */
  readonly hide: HideTools;
  readonly allow: readonly AllowableEffect[];
  /** True if the service has more tools. */
  readonly hasMore: boolean;
  /** True if at least one watch was chosen. */
  readonly hasWatches: boolean;
  /** True if no call needs a release. */
  readonly skipsRelease: boolean;
}

/** Reads are always allowed. */
const isAllowed = (allow: readonly Effect[], effect: Effect): boolean =>
  effect === "read" || allow.includes(effect);

/** Applies an offer to an inventory. Throws a TypeError for an unknown toolset or tool. */
export function selectTools(inventory: Inventory, offer: Offer): Selection {
  const allow = offer.readOnly ? [] : (offer.allow ?? []);
  const chosen = chosenNames(inventory, offer);
  // For example get_release beside tools that move money.
  const companions = inventory.tools.filter(
    ({ companionOf }) => companionOf !== undefined && isAllowed(allow, companionOf),
  );
  const names = new Set([...chosen, ...companions.map(({ tool }) => tool.name)]);
  const selected = inventory.tools.filter(({ tool }) => names.has(tool.name));
  const isOffered = ({ tool, effect }: ServerTool) => names.has(tool.name) && isAllowed(allow, effect);
  const hidden = inventory.tools.filter((each) => !isOffered(each)).map(({ tool }) => tool.name);
  const hide = hideTools(hidden);
  return {
    tools: selected.filter(isOffered).map(({ tool }) => hideInDescriptions(tool, hide)),
    resources: selected.flatMap(({ resource }) => resource ?? []),
    names,
    hide,
    allow,
    hasMore: chosen.size < inventory.tools.length,
    hasWatches: inventory.toolsets.watches!.some((name) => chosen.has(name)),
    skipsRelease: offer.release === "never",
  };
}

/** Returns the chosen tool names. Throws a TypeError with suggestions for an unknown name. */
function chosenNames({ toolsets }: Inventory, { toolsets: sets, tools = [] }: Offer): Set<string> {
  const all = toolsets.all!;
  for (const name of tools) if (!all.includes(name)) throw unknownNameError("tool", name, all);
  const chosen = sets ?? (tools.length > 0 ? [] : ["daily"]);
  const inSets = chosen.flatMap((name) => {
    if (!Object.hasOwn(toolsets, name)) throw unknownNameError("toolset", name, Object.keys(toolsets));
    return toolsets[name]!;
  });
  return new Set([...inSets, ...tools]);
}

function unknownNameError(kind: string, name: string, known: readonly string[]): TypeError {
  const similar = suggestions(name, known);
  const hint =
    similar.length > 0 ? `Did you mean ${similar.join(" or ")}?` : `Known names: ${known.join(", ")}.`;
  return new TypeError(`There is no ${kind} ${JSON.stringify(name)}. ${hint}`);
}

/** Returns the smallest toolset of a section that contains a tool. */
const toolsetOf = ({ toolsets }: Inventory, tool: string): string =>
  Object.entries(toolsets)
    .filter(([name, members]) => name !== "daily" && members.includes(tool))
    .toSorted(([, one], [, other]) => one.length - other.length)[0]![0];

/**
 * Returns the result for a tool that the selection does not offer; undefined if it does. The text names the toolset for the
 * operator, and not the setting, because a model must not change it.
 */
export function notOfferedError(
  { tool: { name: tool }, effect }: Pick<ServerTool, "tool" | "effect">,
  { names, allow }: Selection,
  inventory: Inventory,
): ToolResult | undefined {
  if (!names.has(tool))
    return errorResult(
      `${tool} is not offered by this server. Nothing was sent.`,
      `It belongs to the toolset ${toolsetOf(inventory, tool)}: ask the operator of this server to switch that on` +
        `${isAllowed(allow, effect) ? "" : `, and to allow tools with the effect ${effect}`}.`,
    );
  if (!isAllowed(allow, effect))
    return errorResult(
      `${tool} is not allowed on this server. Nothing was sent.`,
      `Ask the operator of this server whether to allow tools with the effect ${effect}.`,
    );
  return undefined;
}

const allowableEffects: readonly AllowableEffect[] = ["change", "money"];

/** Parses the values of `--allow`, each a comma-separated list. Throws a TypeError for an unknown word. */
export function parseAllowedEffects(values: readonly string[]): AllowableEffect[] {
  return values
    .flatMap((value) => value.split(","))
    .map((word) => {
      const found = allowableEffects.find((effect) => effect === word.trim());
      if (!found)
        throw new TypeError(`--allow takes ${allowableEffects.join(" or ")}, not ${JSON.stringify(word)}.`);
      return found;
    });
}

/** Splits a comma-separated flag or variable. */
export const splitWords = (text: string): string[] =>
  text
    .split(",")
    .map((word) => word.trim())
    .filter(Boolean);
