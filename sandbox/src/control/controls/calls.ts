/** What was asked, and what is put in the way of what will be asked. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { type FaultKind, faultKinds } from "../../faults";
import { local, needed, described, Time } from "./parts";

const LoggedRequest = z.object({
  time: Time,
  method: z.string(),
  url: z.string(),
  status: z.int(),
  refusal: z.string().optional(),
  fault: z.string().optional(),
});

export const listRequests = operation({
  ...local,
  name: "sandbox.listRequests",
  tool: "sandbox_list_requests",
  title: "Requests",
  summary: "Lists what was asked of the sandbox, with the status of each response and why it was refused.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/requests",
  responses: { 200: json(z.array(LoggedRequest), "The last 1,000, the oldest first.") },
});

const fault = {
  operation: z.string().meta(described("Its name, such as trades.book.", "trades.book")),
  kind: z
    .enum(faultKinds)
    .meta(
      described(
        "status: a documented status instead of the work. latency: a late response. reset-before, reset-after: the " +
          "connection is lost before or after the work. cut-off: half the response. throttle: 429 with Retry-After.",
      ),
    ),
  status: z.int().optional().meta(described("With status: the one to respond with.")),
  milliseconds: z.int().min(1).max(600_000).optional().meta(described("With latency: how much later.")),
  retry_after: z.int().min(0).max(86_400).optional().meta(described("With throttle: seconds to wait.")),
};

export const listFaults = operation({
  ...local,
  name: "sandbox.listFaults",
  tool: "sandbox_list_faults",
  title: "Faults",
  summary: "Lists the faults that wait for calls.",
  effect: "read",
  method: "GET",
  path: "/_sandbox/faults",
  responses: { 200: json(z.array(z.object(fault)), "One for each call that will be spoiled.") },
});

/** A field that one kind has and no other. */
const only = (field: string, kind: FaultKind) => ({
  kind: "excluded-by" as const,
  fields: [field],
  other: "kind",
  values: faultKinds.filter((each) => each !== kind),
  description: `${field} goes with kind ${kind} alone.`,
});

export const addFault = operation({
  ...local,
  name: "sandbox.addFault",
  tool: "sandbox_add_fault",
  title: "Add fault",
  summary: "Spoils the next calls of an operation.",
  method: "POST",
  path: "/_sandbox/faults",
  body: z.object({
    ...fault,
    times: z.int().min(1).max(1_000).default(1).meta(described("How many calls.")),
  }),
  rules: [
    needed("status", "kind", "status"),
    needed("milliseconds", "kind", "latency"),
    needed("retry_after", "kind", "throttle"),
    only("status", "status"),
    only("milliseconds", "latency"),
    only("retry_after", "throttle"),
  ],
  responses: { 204: empty("Done.") },
});

export const clearFaults = operation({
  ...local,
  name: "sandbox.clearFaults",
  tool: "sandbox_clear_faults",
  title: "Clear faults",
  summary: "Takes away all faults that wait for calls.",
  method: "DELETE",
  path: "/_sandbox/faults",
  responses: { 204: empty("Done.") },
});

export const callsControls = [listRequests, listFaults, addFault, clearFaults] as const;
