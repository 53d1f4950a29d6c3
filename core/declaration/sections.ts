/** Operations grouped as the contract groups them. */
import type { Callable } from "./operation";

/** `trades.list` is `list` of the section `trades`. */
export function splitName({ name }: Pick<Callable, "name">): readonly [section: string, method: string] {
  const [section = "", method = ""] = name.split(".");
  return [section, method];
}

/** `accountDetails` reads as "Account details". */
export function sectionTitle(section: string): string {
  const words = section.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The sections in order, each with its operations. */
export function bySection<D extends Callable>(operations: readonly D[]): ReadonlyMap<string, readonly D[]> {
  const sections = new Map<string, D[]>();
  for (const operation of operations) {
    const [section] = splitName(operation);
    const known = sections.get(section);
    if (known) known.push(operation);
    else sections.set(section, [operation]);
  }
  return sections;
}
