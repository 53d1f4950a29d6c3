/** The permissions that the operator of a server grants beyond reading. */
import type { Effect } from "../core/spec/operation";
import type { Tool, WatchResource } from "./protocol";

/** Effects that are off until the operator allows them. The two are independent. */
export type AllowableEffect = Exclude<Effect, "read">;

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

export const isAllowed = (effect: Effect, allow: readonly AllowableEffect[]): boolean =>
  effect === "read" || allow.includes(effect);

/** A tool and the facts that decide whether it is listed. */
export interface ToolEntry {
  readonly effect: Effect;
  readonly tool: Tool;
  /** The effect whose permission also offers this tool. See `companionOf` of `Callable`. */
  readonly beside?: Effect;
  /** Set for watches only. */
  readonly resource?: WatchResource;
}
