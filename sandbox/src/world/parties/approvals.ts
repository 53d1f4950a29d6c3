/** Approval rules for payments: groups of contacts, and the approvals needed by amount. */
import type { Big } from "big.js";

interface ApprovalGroup {
  readonly id?: string | undefined;
  readonly name: string;
  readonly members: readonly string[];
}

/** Number of approvals needed from each group. */
type Combination = readonly { readonly group: string; readonly approvals: number }[];

interface ApprovalRule {
  readonly id?: string | undefined;
  readonly min_amount: number;
  /** Null for no limit. */
  readonly max_amount: number | null;
  readonly currency: string;
  readonly combinations: readonly Combination[];
}

export interface ApprovalsConfig {
  readonly groups: readonly ApprovalGroup[];
  readonly rules: readonly ApprovalRule[];
}

interface ApprovalsSettings {
  readonly enabled: boolean;
  /** True if a configuration change needs a second administrator. */
  readonly dual_admin: boolean;
  readonly currency: string;
}

export interface Approvals {
  config: ApprovalsConfig;
  settings: ApprovalsSettings;
  /** A pending configuration change and the contact who requested it. */
  pending?: { readonly config: ApprovalsConfig; readonly contactId: string | undefined };
}

/** Activates a configuration and discards a pending change. */
export function activateConfig(approvals: Approvals, config: ApprovalsConfig): void {
  approvals.config = config;
  delete approvals.pending;
}

const groupNames = new Set(["A", "B", "C"]);
const maxLevels = 5;
/** Currency of the amount limits. */
export const approvalsCurrency = "EUR";

/** Returns the first violation of a configuration, naming the field; undefined if it is valid. */
export function configViolation(
  config: ApprovalsConfig,
  mayAct: (contactId: string) => boolean,
): string | undefined {
  // Unknown members cannot approve, so combinations are checked only once the groups are valid.
  return groupViolations(config, mayAct)[0] ?? bandViolation(config) ?? combinationViolations(config)[0];
}

const groupViolations = ({ groups }: ApprovalsConfig, mayAct: (contactId: string) => boolean): string[] =>
  groups.flatMap(({ name, members }, index) => [
    ...(groupNames.has(name) ? [] : [`groups.${index}.name must be A, B or C`]),
    ...(groups.findIndex((group) => group.name === name) === index
      ? []
      : [`groups.${index}.name is used twice`]),
    ...members
      .filter((id) => !mayAct(id))
      .map((id) => `groups.${index}.members: ${id} is not a contact who may act`),
  ]);

/** Checks that the amount bands are contiguous, from zero to unlimited. */
function bandViolation({ rules }: ApprovalsConfig): string | undefined {
  const empty = rules.findIndex(
    ({ min_amount, max_amount }) => max_amount !== null && max_amount <= min_amount,
  );
  if (empty >= 0) return `rules.${empty}.max_amount must be more than min_amount`;
  const bands = rules.toSorted((one, other) => one.min_amount - other.min_amount);
  const starts = [0, ...bands.map(({ max_amount }) => max_amount)];
  const gap = bands.findIndex(({ min_amount }, index) => min_amount !== starts[index]);
  if (gap >= 0)
    return `rules: the band from ${bands[gap]!.min_amount} does not start at the end of the previous one`;
  if (starts.at(-1) !== null) return "rules: the last band must have no limit";
  const foreign = rules.findIndex(({ currency }) => currency !== approvalsCurrency);
  return foreign < 0 ? undefined : `rules.${foreign}.currency must be ${approvalsCurrency}`;
}

function combinationViolations(config: ApprovalsConfig): string[] {
  const allApprovers = approversOf(config);
  return config.rules.flatMap(({ combinations }, index) => {
    const at = `rules.${index}.combinations`;
    if (combinations.length === 0) return [`${at} must have at least one`];
    return combinations.flatMap((combination, position) => {
      const levels = combination.reduce((sum, { approvals }) => sum + approvals, 0);
      if (levels < 1 || levels > maxLevels)
        return [`${at}.${position} must require 1 to ${maxLevels} approvals`];
      if (isSatisfied(config, combination, allApprovers)) return [];
      return [
        `${at}.${position} requires ${levels} approvals, but its groups have too few different members`,
      ];
    });
  });
}

/** Returns the IDs of all contacts who may approve or reject. */
export const approversOf = ({ groups }: ApprovalsConfig): readonly string[] => [
  ...new Set(groups.flatMap(({ members }) => members)),
];

/** True if enough contacts have approved an amount. A contact counts once, even if in several groups. */
export function isApproved(config: ApprovalsConfig, amount: Big, approvedBy: readonly string[]): boolean {
  const band = config.rules.find(
    ({ min_amount, max_amount }) => amount.gte(min_amount) && (max_amount === null || amount.lt(max_amount)),
  );
  return (band?.combinations ?? []).some((combination) => isSatisfied(config, combination, approvedBy));
}

function isSatisfied(
  { groups }: ApprovalsConfig,
  combination: Combination,
  approvers: readonly string[],
): boolean {
  const membersOf = (name: string) => groups.find((group) => group.name === name)?.members ?? [];
  const signatures = combination.flatMap(({ group, approvals }) =>
    Array<readonly string[]>(approvals).fill(membersOf(group)),
  );
  return isCovered(signatures, approvers);
}

/** True if each signature can be assigned to a different approver. */
const isCovered = (signatures: readonly (readonly string[])[], approvers: readonly string[]): boolean =>
  signatures.length === 0 ||
  approvers.some(
    (approver) =>
      signatures[0]!.includes(approver) &&
      isCovered(
        signatures.slice(1),
        approvers.filter((other) => other !== approver),
      ),
  );
