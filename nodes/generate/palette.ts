/** Groups of the palette, derived from the sections: first those of daily work, then the others. Each is a node set of its own. */
import type { Callable } from "../../core/spec/operation";
import { bySection, sectionOf, sectionTitle, splitName } from "../../core/spec/sections";

/** Name of the node set with the connection and the code that all sets share. Node-RED loads it first. */
export const sharedSet = "fxdesk";

/** Group of the nodes that call any operation or watch by name. */
export const generalCategory = "fxdesk general";

export interface PaletteGroup {
  readonly category: string;
  readonly isDaily: boolean;
  readonly members: readonly Callable[];
}

/** Returns the name of the node set of a group: `fxdesk open banking` becomes `fxdesk-open-banking`. */
export const setOf = (category: string): string => category.toLowerCase().replace(/[^a-z0-9]+/g, "-");

/** Returns the groups in the order of work. A section that names no group has one named after it. */
export function paletteGroupsOf(all: readonly Callable[]): readonly PaletteGroup[] {
  const groups = [true, false].map((isDaily) => ({ isDaily, members: new Map<string, Callable[]>() }));
  for (const [section, declared] of bySection(all)) {
    const own = sectionOf(section, all);
    const { daily = [], category = `fxdesk ${sectionTitle(section, all).toLowerCase()}` } = own;
    const positionOf = (each: Callable) => daily.indexOf(splitName(each)[1]);
    const dailyMembers = declared
      .filter((each) => positionOf(each) >= 0)
      .toSorted((one, other) => positionOf(one) - positionOf(other));
    const others = declared.filter((each) => positionOf(each) < 0);
    const add = (isDaily: boolean, name: string, added: readonly Callable[]) => {
      const { members } = groups.find((each) => each.isDaily === isDaily)!;
      if (added.length > 0) members.set(name, [...(members.get(name) ?? []), ...added]);
    };
    add(true, category, dailyMembers);
    add(false, own.advanced ?? category, others);
  }
  return groups.flatMap(({ isDaily, members }) =>
    [...members].map(([category, each]) => ({ category, isDaily, members: each })),
  );
}
