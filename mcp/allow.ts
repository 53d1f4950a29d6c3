/** What the operator of a server lets its tools do beyond reading. */
import type { Effect } from "../core/declaration/operation";
import type { Tool, WatchResource } from "./protocol";

/** Effects that stay off until the operator allows them. Neither implies the other. */
export type AllowableEffect = Exclude<Effect, "read">;

const allowableEffects: readonly AllowableEffect[] = ["change", "money"];

/** Reads the values of `--allow`, each one a word or words with commas between them. Throws a TypeError otherwise. */
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

export const isAllowed = (effect: Effect, allow: readonly AllowableEffect[]): boolean =>
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
