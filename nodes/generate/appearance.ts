/** How a node looks in the palette: its drawer, colour and icon. */
import type { Callable, Effect } from "../../core/declaration/operation";
import { sectionOf, splitName } from "../../core/declaration/sections";

interface SectionAppearance {
  /** The drawer of the palette; a few sections share one. */
  readonly category: string;
  readonly icon: string;
}

/** Daily operations, and sections that declare neither group nor icon. */
const defaultAppearance: SectionAppearance = { category: "fxdesk", icon: "fxdesk.svg" };

/** Calm for what only reads, warmer the more a call does. Dark text is readable on each, in both editor themes. */
const colors: Readonly<Record<Effect, string>> = { read: "#B5D3E7", change: "#F3D58A", money: "#F0A58F" };

export interface Appearance extends SectionAppearance {
  readonly color: string;
}

/** The first drawer holds what people need most, whatever section it belongs to. */
export function appearanceOf(callable: Callable, isDaily: boolean, all: readonly Callable[]): Appearance {
  const [section] = splitName(callable);
  const { category = defaultAppearance.category, icon = defaultAppearance.icon } = sectionOf(section, all);
  return {
    category: isDaily ? defaultAppearance.category : category,
    icon,
    color: colors[callable.effect],
  };
}

/** The node that calls any operation may do anything. */
export const callAppearance: Appearance = { ...defaultAppearance, color: colors.money };

export const watchAppearance: Appearance = { ...defaultAppearance, color: colors.read };
