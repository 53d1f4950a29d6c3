/** Approvals workflow. Contract: endpoints 21 to 24. */
import { isDeepStrictEqual } from "node:util";
import type { BehavioursOf } from "../calls/behaviour";
import { DomainError } from "../world/common/domain-error";
import {
  type ApprovalsConfig,
  approvalsCurrency,
  configViolation,
  activateConfig,
} from "../world/parties/approvals";
import { type Client, canActFor } from "../world/parties/parties";
import type { World } from "../world/model/world";

function findApprovals({ approvals }: World, { clientId }: Client) {
  const found = approvals.get(clientId);
  if (!found) throw new DomainError("config-not-found", "The client has no approvals workflow.", clientId);
  return found;
}

const toActiveConfig = (config: ApprovalsConfig) => ({ ...config, status: "active" });

export const approvalsWorkflow: BehavioursOf<"approvalsWorkflow"> = {
  "approvalsWorkflow.getConfig": ({ client, world }) => ({
    status: 200,
    body: toActiveConfig(findApprovals(world, client).config),
  }),

  /**
   * With two administrators, the first requests a change and the second confirms it by sending the same configuration.
   */
  "approvalsWorkflow.replaceConfig": ({ values: { groups, rules }, client, contact, world }) => {
    const approvals = findApprovals(world, client);
    const config = { groups, rules };
    const violation = configViolation(config, (id) => {
      const member = world.contacts.get(id);
      return member !== undefined && canActFor(member, client);
    });
    if (violation) throw new DomainError("validation-error", "The configuration is invalid.", violation);
    const { pending } = approvals;
    const contactId = contact?.contactId;
    if (approvals.settings.dual_admin && !pending) {
      approvals.pending = { config, contactId };
      return { status: 200, body: { ...config, status: "pending_approval" } };
    }
    if (pending && (contactId === pending.contactId || !isDeepStrictEqual(config, pending.config)))
      throw new DomainError(
        "approvals-update-pending",
        "An update request already exists.",
        "A second administrator confirms it by sending the same configuration.",
      );
    activateConfig(approvals, config);
    return { status: 200, body: toActiveConfig(config) };
  },

  "approvalsWorkflow.getSettings": ({ client, world }) => ({
    status: 200,
    body: findApprovals(world, client).settings,
  }),

  "approvalsWorkflow.updateSettings": ({ values, client, world }) => {
    const { enabled, dual_admin, currency = approvalsCurrency } = values;
    if (currency !== approvalsCurrency)
      throw new DomainError(
        "validation-error",
        "The settings are invalid.",
        `currency must be ${approvalsCurrency}`,
      );
    const approvals = findApprovals(world, client);
    approvals.settings = { enabled, dual_admin, currency };
    return { status: 200, body: approvals.settings };
  },
};
