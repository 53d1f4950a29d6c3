/** How a node looks in the palette: its drawer, colour and icon. */
import type { Callable, Effect } from "../../core/declaration/operation";
import { splitName } from "../../core/declaration/sections";

interface Section {
  /** The drawer of the palette; a few sections share one. */
  readonly category: string;
  readonly icon: string;
}

const sections: Readonly<Record<string, Section>> = {
  accountDetails: { category: "fxdesk accounts", icon: "account-details.svg" },
  accounts: { category: "fxdesk accounts", icon: "accounts.svg" },
  transactions: { category: "fxdesk accounts", icon: "transactions.svg" },
  statements: { category: "fxdesk statements", icon: "statements.svg" },
  trades: { category: "fxdesk trades", icon: "trades.svg" },
  releases: { category: "fxdesk administration", icon: "approvals.svg" },
  approvalsWorkflow: { category: "fxdesk administration", icon: "approvals.svg" },
  login: { category: "fxdesk administration", icon: "login.svg" },
  forwards: { category: "fxdesk trades", icon: "trades.svg" },
  contract: { category: "fxdesk administration", icon: "fxdesk.svg" },
  payments: { category: "fxdesk payments", icon: "payments.svg" },
  consents: { category: "fxdesk open banking", icon: "consents.svg" },
  openBanking: { category: "fxdesk open banking", icon: "open-banking.svg" },
};

/** Of what people need most, and of a section that came without a look of its own. */
const defaultAppearance: Section = { category: "fxdesk", icon: "fxdesk.svg" };

/** Calm for what only reads, warmer the more a call does. Dark text is readable on each, in both editor themes. */
const colors: Readonly<Record<Effect, string>> = { read: "#B5D3E7", change: "#F3D58A", money: "#F0A58F" };

export interface Appearance extends Section {
  readonly color: string;
}

/** The first drawer holds what people need most, whatever section it belongs to. */
export function appearanceOf(callable: Callable, isDaily: boolean): Appearance {
  const [section] = splitName(callable);
  const { category, icon } = sections[section] ?? defaultAppearance;
  return {
    category: isDaily ? defaultAppearance.category : category,
    icon,
    color: colors[callable.effect],
  };
}

/** The node that calls any operation may do anything. */
export const callAppearance: Appearance = { ...defaultAppearance, color: colors.money };

export const watchAppearance: Appearance = { ...defaultAppearance, color: colors.read };
