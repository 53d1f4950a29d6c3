/** Who must approve a payment: groups, rules and settings. Contract: endpoints 21 to 24. */
import { z } from "zod";
import { nullishText, textField } from "../schema/response-fields";
import { Currency } from "../schema/values";
import { json, section } from "../declaration/declare";
import { clientId, credentials, withErrorMessage, meaning } from "./json-interface";

/** What the fields mean, when they are sent and when they are read back. */
const meanings = {
  groups: { title: "Groups", description: "All groups of people who approve." },
  name: { description: "Group A, B or C." },
  members: { description: "Contact IDs." },
  rules: { title: "Rules", description: "All rules; their bands follow each other from 0 to no limit." },
  minAmount: { description: "Start of the band of payment values." },
  maxAmount: { description: "End of the band; null for no limit." },
  combinations: { description: "Alternatives, any of which is enough." },
  combination: { description: "Approvals needed together, by group." },
  enabled: { title: "Enabled", description: "Whether payments need approval." },
  dualAdmin: { title: "Dual admin", description: "Whether a second administrator confirms each change." },
} as const;

/** Open inside: the contract does not show the fields, so what the service returned can be sent back whole. */
const Group = z.looseObject({
  id: z.string().optional(),
  name: z.string().meta(meanings.name),
  members: z.array(z.string()).meta(meanings.members),
});

const Combination = z
  .array(z.looseObject({ group: z.string(), approvals: z.int().min(1) }))
  .meta(meanings.combination);

const Rule = z.looseObject({
  id: z.string().optional(),
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
  id: nullishText("Identifies the group among the others."),
  name: z.string().nullish().meta(meanings.name),
  members: z.array(z.string()).nullish().meta(meanings.members),
});

const CombinationData = z
  .array(
    z.object({
      group: textField("Name of the group whose members approve."),
      approvals: z.int().meta({ description: "How many members of the group have to approve." }),
    }),
  )
  .meta(meanings.combination);

const RuleData = z.object({
  id: nullishText("Identifies the rule among the others."),
  min_amount: z.number().nullish().meta(meanings.minAmount),
  max_amount: z.number().nullish().meta(meanings.maxAmount),
  currency: nullishText("Currency of min_amount and max_amount, as an ISO 4217 code."),
  combinations: z.array(CombinationData).nullish().meta(meanings.combinations),
});

export const ApprovalsWorkflowConfig = z
  .object({
    groups: z.array(GroupData).meta(meanings.groups),
    rules: z.array(RuleData).meta(meanings.rules),
    status: nullishText("Whether the configuration is active."),
  })
  .meta({ id: "ApprovalsWorkflowConfig", description: "Who has to approve payments of which value." });

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
    currency: nullishText("Currency in which the approval of payments is set up, as an ISO 4217 code."),
  })
  .meta({ id: "ApprovalsWorkflowSettings", description: "How the approval of payments is set up." });

const query = { client_id: clientId };
const errors = { 400: meaning[400], 401: meaning[401], 403: meaning[403] };

const operation = section({ server: "service", credentials });

export const getApprovalsConfig = operation({
  name: "approvalsWorkflow.getConfig",
  tool: "get_approvals_config",
  title: "Get approvals configuration",
  summary: "Returns who must approve or sign off payments, and how many people: the approval matrix.",
  notes: "It has groups of approvers (signatories) and rules with limits (thresholds, bands of amounts).",
  effect: "read",
  method: "GET",
  path: "/approvals-workflow/config",
  query,
  responses: { 200: json(ApprovalsWorkflowConfig, "The configuration.") },
  errors: { ...errors, 404: "Client ID or configuration not found.", 502: meaning[502] },
  contract: "21",
});

export const replaceApprovalsConfig = operation({
  name: "approvalsWorkflow.replaceConfig",
  tool: "replace_approvals_config",
  title: "Replace approvals configuration",
  summary:
    "Replaces all groups and rules of approval: adds, removes (takes out) or changes approvers (signatories), limits (thresholds), who signs above an amount.",
  notes: "What is missing is gone. The change may wait for a second administrator.",
  effect: "money",
  method: "POST",
  path: "/approvals-workflow/config",
  query,
  body: NewApprovalsWorkflowConfig,
  responses: { 200: json(ApprovalsWorkflowConfig, "The updated configuration.") },
  errors: {
    ...errors,
    404: withErrorMessage("Client ID or configuration not found."),
    409: withErrorMessage("An update request already exists."),
    500: withErrorMessage(meaning[500]),
  },
  identifiedBy: "rules",
  lookup: "approvalsWorkflow.getConfig",
  contract: "22",
});

export const getApprovalsSettings = operation({
  name: "approvalsWorkflow.getSettings",
  tool: "get_approvals_settings",
  title: "Get approvals settings",
  summary:
    "Returns whether approval is enabled (on): a second person (colleague, four eyes, dual control, maker-checker) has to sign off payments, or one acts alone.",
  effect: "read",
  method: "GET",
  path: "/approvals-workflow/settings",
  query,
  responses: { 200: json(ApprovalsWorkflowSettings, "The settings.") },
  errors: { ...errors, 404: "Client ID or settings not found.", 500: meaning[500] },
  contract: "23",
});

export const updateApprovalsSettings = operation({
  name: "approvalsWorkflow.updateSettings",
  tool: "update_approvals_settings",
  title: "Update approvals settings",
  summary:
    "Switches (turns) approval on (activates, enables) or off (disables): whether a colleague (four eyes, dual control) must approve payments.",
  effect: "money",
  method: "POST",
  path: "/approvals-workflow/settings",
  query,
  body: NewApprovalsWorkflowSettings,
  responses: { 200: json(ApprovalsWorkflowSettings, "The updated settings.") },
  errors: { ...errors, 404: withErrorMessage("Client ID or settings not found."), 500: meaning[500] },
  identifiedBy: "enabled",
  lookup: "approvalsWorkflow.getSettings",
  contract: "24",
});

export const approvalsWorkflow = [
  getApprovalsConfig,
  replaceApprovalsConfig,
  getApprovalsSettings,
  updateApprovalsSettings,
] as const;
