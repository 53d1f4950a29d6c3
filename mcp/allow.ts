/** What the operator of a server lets its tools do beyond reading. */
import type { Effect } from "../core/declaration/operation";
import type { Tool, WatchResource } from "./protocol";

/** Effects that stay off until the operator allows them. Neither implies the other. */
export type Allowed = Exclude<Effect, "read">;

const allowable: readonly Allowed[] = ["change", "money"];

/** Reads the values of `--allow`, each one a word or words with commas between them. Throws a TypeError otherwise. */
export function allowedFrom(values: readonly string[]): Allowed[] {
  return values
    .flatMap((value) => value.split(","))
    .map((word) => {
      const allowed = allowable.find((effect) => effect === word.trim());
      if (!allowed)
        throw new TypeError(`--allow takes ${allowable.join(" or ")}, not ${JSON.stringify(word)}.`);
      return allowed;
    });
}

export const isAllowed = (effect: Effect, allow: readonly Allowed[]): boolean =>
  effect === "read" || allow.includes(effect);

/** A tool with what decides whether it is listed. */
export interface ToolEntry {
  readonly effect: Effect;
  readonly tool: Tool;
  /** See `Callable`. */
  readonly beside?: Effect;
  /** Of a watch. */
  readonly resource?: WatchResource;
}
