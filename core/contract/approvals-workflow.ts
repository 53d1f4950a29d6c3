/** Payment approval: groups, rules and settings. Contract: endpoints 21 to 24. */
import { z } from "zod";
import { nullishText, textField } from "../values/response-fields";
import { Currency } from "../values/values";
import { json, section } from "../spec/declare";
import { clientId, credentials, withErrorMessage, usualErrors } from "./json-interface";

/** Descriptions of fields that occur in requests and responses. */
const meanings = {
  groups: { title: "Groups", description: "All groups." },
  groupId: { description: "Group ID." },
  name: { description: "A, B or C." },
  members: { description: "Contact IDs." },
  rules: {
    title: "Rules",
    description: "All rules, to cover 0 to unlimited.",
  },
  ruleId: { description: "Rule ID." },
  minAmount: { description: "Lower bound.", amount: true },
  maxAmount: { description: "Upper bound; null for unlimited.", amount: true },
  combinations: { description: "One combination suffices." },
  combination: { description: "All are required." },
  group: { description: "Group name." },
  approvals: { description: "Approvals required." },
  enabled: { title: "Enabled", description: "True if payments need approval." },
  dualAdmin: { title: "Dual admin", description: "True if a second administrator must confirm each change." },
} as const;

/**
 * Accepts any inner fields, because the contract does not list them and callers send back what the service returned.
 */
const Group = z.looseObject({
  id: z.string().optional().meta(meanings.groupId),
  name: z.string().meta(meanings.name),
  members: z.array(z.string()).meta(meanings.members),
});

const Combination = z
  .array(
    z.looseObject({
      group: z.string().meta(meanings.group),
      approvals: z.int().min(1).meta(meanings.approvals),
    }),
  )
  .meta(meanings.combination);

const Rule = z.looseObject({
  id: z.string().optional().meta(meanings.ruleId),
  min_amount: z
    .number()
    .refine((amount) => amount >= 0, "must be at least 0")
    .meta(meanings.minAmount),
  max_amount: z
    .number()
    .refine((amount) => amount > 0, "must be more than 0")
    .nullable()
    .meta(meanings.maxAmount),
  currency: Currency,
  combinations: z.array(Combination).meta(meanings.combinations),
});

export const NewApprovalsWorkflowConfig = z
  .object({
    groups: z.array(Group).meta(meanings.groups),
    rules: z.array(Rule).meta(meanings.rules),
  })
  .meta({ id: "NewApprovalsWorkflowConfig" });

const GroupData = z.object({
  id: nullishText(meanings.groupId.description),
  name: z.string().nullish().meta(meanings.name),
  members: z.array(z.string()).nullish().meta(meanings.members),
});

const CombinationData = z
  .array(
    z.object({
      group: textField(meanings.group.description),
      approvals: z.int().meta(meanings.approvals),
    }),
  )
  .meta(meanings.combination);

const RuleData = z.object({
  id: nullishText(meanings.ruleId.description),
  min_amount: z.number().nullish().meta(meanings.minAmount),
  max_amount: z.number().nullish().meta(meanings.maxAmount),
  currency: nullishText("Currency of min_amount and max_amount, ISO 4217 code."),
  combinations: z.array(CombinationData).nullish().meta(meanings.combinations),
});

export const ApprovalsWorkflowConfig = z
  .object({
    groups: z.array(GroupData).meta(meanings.groups),
    rules: z.array(RuleData).meta(meanings.rules),
    status: nullishText("Status of the configuration, such as active."),
  })
  .meta({ id: "ApprovalsWorkflowConfig", description: "Approver groups and rules." });

export const NewApprovalsWorkflowSettings = z
  .object({
    enabled: z.boolean().meta(meanings.enabled),
    dual_admin: z.boolean().meta(meanings.dualAdmin),
    currency: Currency.optional(),
  })
  .meta({ id: "NewApprovalsWorkflowSettings" });

export const ApprovalsWorkflowSettings = z
  .object({
    enabled: z.boolean().nullish().meta(meanings.enabled),
    dual_admin: z.boolean().nullish().meta(meanings.dualAdmin),
    currency: nullishText("Currency of the approval settings, ISO 4217 code."),
  })
  .meta({ id: "ApprovalsWorkflowSettings", description: "Settings of the payment approval." });

const query = { client_id: clientId };

const operation = section({
  section: {
    title: "Approvals workflow",
    icon: "approvals.svg",
    category: "fxdesk administration",
    order: 12,
  },
  server: "service",
  credentials,
});

export const getApprovalsConfig = operation({
  name: "approvalsWorkflow.getConfig",
  tool: "get_approvals_config",
  title: "Get approvals configuration",
  summary:
    "Returns the approver groups and rules: the approvals that the service requires for each payment amount. For a request that waits in fxdesk, use releases.get.",
  keywords: [
    "signatories",
    "sign-off",
    "four eyes",
    "limits",
    "Freigabe",
    "Genehmigung",
    "Unterschrift",
    "Vier-Augen",
  ],
  effect: "read",
  method: "GET",
  path: "/approvals-workflow/config",
  query,
  responses: { 200: json(ApprovalsWorkflowConfig, "The configuration.") },
  errors: { ...usualErrors([400, 401, 403, 502]), 404: "Client ID or configuration not found." },
  contract: "21",
});

export const replaceApprovalsConfig = operation({
  name: "approvalsWorkflow.replaceConfig",
  tool: "replace_approvals_config",
  title: "Replace approvals configuration",
  summary: "Replaces all approver groups and rules. To read them first, use approvalsWorkflow.getConfig.",
  notes: "Omitted ones are deleted.",
  keywords: ["approvers", "signatories", "limits", "thresholds", "Freigabe", "Genehmigung", "Unterschrift"],
  effect: "money",
  method: "POST",
  path: "/approvals-workflow/config",
  query,
  body: NewApprovalsWorkflowConfig,
  responses: { 200: json(ApprovalsWorkflowConfig, "The updated configuration.") },
  errors: {
    ...usualErrors([400, 401, 403], [500]),
    404: withErrorMessage("Client ID or configuration not found."),
    409: withErrorMessage("An update request already exists."),
  },
  identifiedBy: "rules",
  commits: "none",
  lookup: "approvalsWorkflow.getConfig",
  contract: "22",
});

export const getApprovalsSettings = operation({
  name: "approvalsWorkflow.getSettings",
  tool: "get_approvals_settings",
  title: "Get approvals settings",
  summary: "Returns whether payments need approval and whether a second administrator confirms changes.",
  keywords: ["four eyes", "sign-off", "Freigabe", "Genehmigung", "Vier-Augen"],
  effect: "read",
  method: "GET",
  path: "/approvals-workflow/settings",
  query,
  responses: { 200: json(ApprovalsWorkflowSettings, "The settings.") },
  errors: { ...usualErrors([400, 401, 403, 500]), 404: "Client ID or settings not found." },
  contract: "23",
});

export const updateApprovalsSettings = operation({
  name: "approvalsWorkflow.updateSettings",
  tool: "update_approvals_settings",
  title: "Update approvals settings",
  summary:
    "Changes whether payments need approval and whether a second administrator confirms changes, and returns the new settings.",
  keywords: ["enable", "disable", "four eyes", "Freigabe", "Genehmigung", "Vier-Augen"],
  effect: "money",
  method: "POST",
  path: "/approvals-workflow/settings",
  query,
  body: NewApprovalsWorkflowSettings,
  responses: { 200: json(ApprovalsWorkflowSettings, "The updated settings.") },
  errors: { ...usualErrors([400, 401, 403, 500]), 404: withErrorMessage("Client ID or settings not found.") },
  identifiedBy: "enabled",
  commits: "none",
  lookup: "approvalsWorkflow.getSettings",
  contract: "24",
});

export const approvalsWorkflow = [
  getApprovalsConfig,
  replaceApprovalsConfig,
  getApprovalsSettings,
  updateApprovalsSettings,
] as const;
