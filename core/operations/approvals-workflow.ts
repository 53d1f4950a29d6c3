/** Who must approve a payment: groups, rules and settings. Contract: endpoints 21 to 24. */
import { z } from "zod";
import { Currency } from "../schema/values";
import { json, operation } from "./declaration";
import { clientId, credentials, explained, meaning } from "./service";

const maxAmount = "End of the band; null for no limit.";

/** Open inside: the contract does not show the fields, so what the service answered can be sent back whole. */
const Group = z.looseObject({
  id: z.string().optional(),
  name: z.string().meta({ description: "A, B or C." }),
  members: z.array(z.string()).meta({ description: "Contact IDs." }),
});

const Combination = z
  .array(z.looseObject({ group: z.string(), approvals: z.int().min(1) }))
  .meta({ description: "Approvals needed together, by group." });

const Rule = z.looseObject({
  id: z.string().optional(),
  min_amount: z
    .number()
    .refine((amount) => amount >= 0, "must be at least 0")
    .meta({ description: "Start of the band of payment values." }),
  max_amount: z
    .number()
    .refine((amount) => amount > 0, "must be more than 0")
    .nullable()
    .meta({ description: maxAmount }),
  currency: Currency,
  combinations: z.array(Combination).meta({ description: "Alternatives, any of which is enough." }),
});

export const NewApprovalsWorkflowConfig = z
  .object({
    groups: z.array(Group).meta({ title: "Groups", description: "All groups of people who approve." }),
    rules: z
      .array(Rule)
      .meta({ title: "Rules", description: "All rules; their bands follow each other from 0 to no limit." }),
  })
  .meta({ id: "NewApprovalsWorkflowConfig" });

export const ApprovalsWorkflowConfig = z
  .object({
    groups: z.array(
      z.object({
        id: z.string().nullish(),
        name: z.string().nullish(),
        members: z.array(z.string()).nullish(),
      }),
    ),
    rules: z.array(
      z.object({
        id: z.string().nullish(),
        min_amount: z.number().nullish(),
        max_amount: z.number().nullish().meta({ description: maxAmount }),
        currency: z.string().nullish(),
        combinations: z.array(z.array(z.object({ group: z.string(), approvals: z.int() }))).nullish(),
      }),
    ),
    status: z.string().nullish().meta({ description: "Whether the configuration is active." }),
  })
  .meta({ id: "ApprovalsWorkflowConfig" });

const enabled = z.boolean().meta({ title: "Enabled", description: "Whether payments need approval." });
const dualAdmin = z
  .boolean()
  .meta({ title: "Dual admin", description: "Whether a second administrator confirms each change." });

export const NewApprovalsWorkflowSettings = z
  .object({ enabled, dual_admin: dualAdmin, currency: Currency.optional() })
  .meta({ id: "NewApprovalsWorkflowSettings" });

export const ApprovalsWorkflowSettings = z
  .object({ enabled: enabled.nullish(), dual_admin: dualAdmin.nullish(), currency: z.string().nullish() })
  .meta({ id: "ApprovalsWorkflowSettings" });

const query = { client_id: clientId };
const errors = { 400: meaning[400], 401: meaning[401], 403: meaning[403] };

export const getApprovalsConfig = operation({
  name: "approvalsWorkflow.getConfig",
  tool: "get_approvals_config",
  title: "Get approvals configuration",
  summary: "Returns the groups and rules by which payments are approved.",
  effect: "read",
  method: "GET",
  path: "/approvals-workflow/config",
  server: "service",
  credentials,
  query,
  answers: { 200: json(ApprovalsWorkflowConfig, "The configuration.") },
  errors: { ...errors, 404: "Client ID or configuration not found.", 502: meaning[502] },
  contract: "21",
});

export const replaceApprovalsConfig = operation({
  name: "approvalsWorkflow.replaceConfig",
  tool: "replace_approvals_config",
  title: "Replace approvals configuration",
  summary: "Replaces all groups and rules by which payments are approved.",
  notes: "What is not sent is gone. The change may wait for a second administrator.",
  effect: "money",
  method: "POST",
  path: "/approvals-workflow/config",
  server: "service",
  credentials,
  query,
  body: NewApprovalsWorkflowConfig,
  answers: { 200: json(ApprovalsWorkflowConfig, "The updated configuration.") },
  errors: {
    ...errors,
    404: explained("Client ID or configuration not found."),
    409: explained("An update request already exists."),
    500: explained(meaning[500]),
  },
  identifiedBy: "rules",
  lookup: "approvalsWorkflow.getConfig",
  contract: "22",
});

export const getApprovalsSettings = operation({
  name: "approvalsWorkflow.getSettings",
  tool: "get_approvals_settings",
  title: "Get approvals settings",
  summary: "Returns the settings of the approval of payments.",
  effect: "read",
  method: "GET",
  path: "/approvals-workflow/settings",
  server: "service",
  credentials,
  query,
  answers: { 200: json(ApprovalsWorkflowSettings, "The settings.") },
  errors: { ...errors, 404: "Client ID or settings not found.", 500: meaning[500] },
  contract: "23",
});

export const updateApprovalsSettings = operation({
  name: "approvalsWorkflow.updateSettings",
  tool: "update_approvals_settings",
  title: "Update approvals settings",
  summary: "Changes the settings of the approval of payments.",
  effect: "money",
  method: "POST",
  path: "/approvals-workflow/settings",
  server: "service",
  credentials,
  query,
  body: NewApprovalsWorkflowSettings,
  answers: { 200: json(ApprovalsWorkflowSettings, "The updated settings.") },
  errors: { ...errors, 404: explained("Client ID or settings not found."), 500: meaning[500] },
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
