/** Keys of calls that commit money: text that stands for one call and no other, so that it is made once. */
import type { Callable } from "./operation";

const longest = 200;

/** What is wrong with a key; undefined when it fits. */
export function keyViolation(key: unknown): string | undefined {
  const fits = typeof key === "string" && key.length <= longest && /^\P{C}+$/u.test(key) && key.trim() !== "";
  return fits ? undefined : `must be text of 1 to ${longest} characters, without control characters`;
}

/**
 * Whether who asks for the call is asked for a key, too: what it does is known by an identifier that only its response
 * tells, nothing shows later whether it was carried out, and no field of its input can be used only once.
 */
export const needsKey = ({ effect, identifiedBy, lookup, singleUse }: Callable): boolean =>
  effect === "money" && identifiedBy !== undefined && lookup === undefined && singleUse === undefined;
