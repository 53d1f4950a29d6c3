/** What was asked, and what is put in the way of what will be asked. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { type FaultKind, faultKinds } from "../../faults";
import { control, local, missing, needed, described, Time } from "./parts";
import { unfit } from "../../world/domain-error";

const LoggedRequest = z.object({
  number: z.int(),
  time: Time,
  method: z.string(),
  url: z.string(),
  status: z.int(),
  refusal: z.string().optional(),
  fault: z.string().optional(),
});

export const listRequests = control(
  operation({
    ...local,
    name: "sandbox.listRequests",
    tool: "sandbox_list_requests",
    title: "Requests",
    summary: "Lists what was asked of the sandbox, with the status of each response and why it was refused.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/requests",
    responses: { 200: json(z.array(LoggedRequest), "The last 1,000, the oldest first.") },
  }),
  ({ requests }) => [...requests],
);

const faultFields = {
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

const Said = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

export const getExchange = control(
  operation({
    ...local,
    name: "sandbox.getExchange",
    tool: "sandbox_get_exchange",
    title: "Request and response",
    summary: "Reads what one of the last 100 requests of the log and its response said.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/requests/{number}",
    parameters: {
      number: z
        .int()
        .min(1)
        .meta({ title: "Number", ...described("Its number in the log.") }),
    },
    responses: { 200: json(z.object({ request: Said, response: Said }), "Headers and bodies.") },
  }),
  ({ exchanges }, { number }) => {
    const exchange = exchanges.get(number);
    if (!exchange) throw missing("request", String(number));
    return exchange;
  },
);

export const listFaults = control(
  operation({
    ...local,
    name: "sandbox.listFaults",
    tool: "sandbox_list_faults",
    title: "Faults",
    summary: "Lists the faults that wait for calls.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/faults",
    responses: { 200: json(z.array(z.object(faultFields)), "One for each call that will be spoiled.") },
  }),
  ({ faults }) =>
    faults.waiting.map(({ operation: name, fault: { retryAfter, ...fault } }) => ({
      operation: name,
      ...fault,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    })),
);

/** A field that one kind has and no other. */
const only = (field: string, kind: FaultKind) => ({
  kind: "excluded-by" as const,
  fields: [field],
  other: "kind",
  values: faultKinds.filter((each) => each !== kind),
  description: `${field} goes with kind ${kind} alone.`,
});

export const addFault = control(
  operation({
    ...local,
    name: "sandbox.addFault",
    tool: "sandbox_add_fault",
    title: "Add fault",
    summary: "Spoils the next calls of an operation.",
    method: "POST",
    path: "/_sandbox/faults",
    body: z.object({
      ...faultFields,
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
  }),
  ({ faults }, { operation: name, times, retry_after: retryAfter, ...fault }) => {
    try {
      faults.add(name, { ...fault, retryAfter }, times);
    } catch (error) {
      throw unfit((error as Error).message);
    }
  },
);

export const clearFaults = control(
  operation({
    ...local,
    name: "sandbox.clearFaults",
    tool: "sandbox_clear_faults",
    title: "Clear faults",
    summary: "Takes away all faults that wait for calls.",
    method: "DELETE",
    path: "/_sandbox/faults",
    responses: { 204: empty("Done.") },
  }),
  ({ faults }) => faults.clear(),
);

export const callsControls = [listRequests, getExchange, listFaults, addFault, clearFaults] as const;
