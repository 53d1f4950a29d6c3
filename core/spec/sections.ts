/** Sections: the part of a name before the dot, with its title, icon and palette group. */
import type { Callable, SectionDeclaration } from "./operation";

/** Splits `trades.list` into the section `trades` and the method `list`. */
export function splitName({ name }: Pick<Callable, "name">): readonly [section: string, method: string] {
  const [section = "", method = ""] = name.split(".");
  return [section, method];
}

/** Converts `accountDetails` to "Account details". */
function titleFrom(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the first section description among the declarations of a section; empty if there is none. */
export function sectionOf(section: string, all: readonly Callable[]): SectionDeclaration {
  const described = all.find((each) => each.section !== undefined && splitName(each)[0] === section);
  return described?.section ?? {};
}

/** Returns the heading of a section. */
export const sectionTitle = (section: string, all: readonly Callable[]): string =>
  sectionOf(section, all).title ?? titleFrom(section);

const byOrder =
  (all: readonly Callable[]) =>
  (one: string, other: string): number => {
    const [first, second] = [one, other].map((name) => sectionOf(name, all).order ?? Infinity);
    return first === second ? 0 : first! - second!;
  };

/** Groups declarations by section, in the order of the sections. */
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
