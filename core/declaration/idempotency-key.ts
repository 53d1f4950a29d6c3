/** Keys of calls that commit money: text that stands for one call and no other, so that it is made once. */
import type { Callable } from "./operation";
import { isProcedure } from "./procedure";

const maxKeyLength = 200;

/** What is wrong with a key; undefined when it fits. */
export function keyViolation(key: unknown): string | undefined {
  const fits =
    typeof key === "string" && key.length <= maxKeyLength && /^\P{C}+$/u.test(key) && key.trim() !== "";
  return fits ? undefined : `must be text of 1 to ${maxKeyLength} characters, without control characters`;
}

/**
 * Whether who asks for the call is asked for a key, too: what it does is known by an identifier that only its response
 * tells, nothing shows later whether it was carried out, and no field of its input can be used only once. The calls of a
 * procedure have keys of their own.
 */
export const requiresKey = (callable: Callable): boolean => {
  const { effect, identifiedBy, lookup, singleUseField } = callable;
  const canDetectRepeat = lookup !== undefined || singleUseField !== undefined || isProcedure(callable);
  return effect === "money" && identifiedBy !== undefined && !canDetectRepeat;
};
