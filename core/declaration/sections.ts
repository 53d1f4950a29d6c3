/** Sections: the part of a name before the dot, with the title, icon and palette group that its declarations share. */
import type { Callable, SectionDeclaration } from "./operation";

/** `trades.list` is `list` of the section `trades`. */
export function splitName({ name }: Pick<Callable, "name">): readonly [section: string, method: string] {
  const [section = "", method = ""] = name.split(".");
  return [section, method];
}

/** The words of a name: `accountDetails` reads as "Account details". */
function titleFrom(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns what the first declaration of a section that describes it says; empty if none does. */
export function sectionOf(section: string, all: readonly Callable[]): SectionDeclaration {
  const described = all.find((each) => each.section !== undefined && splitName(each)[0] === section);
  return described?.section ?? {};
}

/** Returns the heading of a section. */
export const sectionTitle = (section: string, all: readonly Callable[]): string =>
  sectionOf(section, all).title ?? titleFrom(section);

/** Compares the places of two sections. */
const byOrder =
  (all: readonly Callable[]) =>
  (one: string, other: string): number => {
    const [first, second] = [one, other].map((name) => sectionOf(name, all).order ?? Infinity);
    return first === second ? 0 : first! - second!;
  };

/** The sections in order, each with its operations. */
export function bySection<D extends Callable>(operations: readonly D[]): ReadonlyMap<string, readonly D[]> {
  const sections = new Map<string, D[]>();
  for (const operation of operations) {
    const [section] = splitName(operation);
    const known = sections.get(section);
    if (known) known.push(operation);
    else sections.set(section, [operation]);
  }
  const compare = byOrder(operations);
  return new Map([...sections].toSorted(([one], [other]) => compare(one, other)));
}
