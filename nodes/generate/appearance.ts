/** Appearance of nodes in the palette: category, colour and icon. */
import type { Callable, Effect } from "../../core/spec/operation";
import { sectionOf, sectionTitle, splitName } from "../../core/spec/sections";

interface SectionAppearance {
  /** Palette category. Some sections share one. */
  readonly category: string;
  readonly icon: string;
}

/** Appearance of daily operations; its icon is the default of all sections. */
const defaultAppearance: SectionAppearance = { category: "fxdesk", icon: "fxdesk.svg" };

/** Colours by effect. Dark text is readable on all of them, in light and dark themes. */
const colors: Readonly<Record<Effect, string>> = { read: "#B5D3E7", change: "#F3D58A", money: "#F0A58F" };

export interface Appearance extends SectionAppearance {
  readonly color: string;
}

/** Returns the appearance of a node. Daily operations are in the first category, the others by default in one named after their section. */
export function appearanceOf(callable: Callable, isDaily: boolean, all: readonly Callable[]): Appearance {
  const [section] = splitName(callable);
  const ownCategory = `fxdesk ${sectionTitle(section, all).toLowerCase()}`;
  const { category = ownCategory, icon = defaultAppearance.icon } = sectionOf(section, all);
  return {
    category: isDaily ? defaultAppearance.category : category,
    icon,
    color: colors[callable.effect],
  };
}

/** Appearance of the node that calls any operation, which may commit money. */
export const callAppearance: Appearance = { ...defaultAppearance, color: colors.money };

export const watchAppearance: Appearance = { ...defaultAppearance, color: colors.read };
