/** Idempotency keys of money calls. */
import type { Callable } from "./operation";
import { isProcedure } from "./procedure";

const maxKeyLength = 200;

/** Returns the problem with a key, or undefined if it is valid. */
export function keyViolation(key: unknown): string | undefined {
  const fits =
    typeof key === "string" && key.length <= maxKeyLength && /^\P{C}+$/u.test(key) && key.trim() !== "";
  return fits ? undefined : `must be text of 1 to ${maxKeyLength} characters, without control characters`;
}

/**
 * True if the caller must provide a key: the ID of the result is known only from the response, no lookup shows
 * afterwards whether the call was carried out, and no input field is single-use. Procedures set keys for their calls
 * themselves.
 */
export const requiresKey = (callable: Callable): boolean => {
  const { effect, identifiedBy, lookup, singleUseField } = callable;
  const canDetectRepeat = lookup !== undefined || singleUseField !== undefined || isProcedure(callable);
  return effect === "money" && identifiedBy !== undefined && !canDetectRepeat;
};
