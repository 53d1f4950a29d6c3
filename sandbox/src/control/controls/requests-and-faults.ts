/** What was asked, and what is put in the way of what will be asked. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { type FaultKind, faultKinds } from "../../fault-queue";
import {
  defineControl,
  controlDefaults,
  toNotFoundError,
  requiredWith,
  withDescription,
  Time,
} from "./define-control";
import { toValidationError } from "../../world/domain-error";

const LoggedRequest = z.object({
  number: z.int(),
  time: Time,
  method: z.string(),
  url: z.string(),
  status: z.int(),
  refusal: z.string().optional(),
  fault: z.string().optional(),
});

export const listRequests = defineControl(
  operation({
    ...controlDefaults,
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
  operation: z.string().meta(withDescription("Its name, such as trades.book.", "trades.book")),
  kind: z
    .enum(faultKinds)
    .meta(
      withDescription(
        "status: a documented status instead of the work. latency: a late response. reset-before, reset-after: the " +
          "connection is lost before or after the work. cut-off: half the response. throttle: 429 with Retry-After.",
      ),
    ),
  status: z.int().optional().meta(withDescription("With status: the one to respond with.")),
  milliseconds: z.int().min(1).max(600_000).optional().meta(withDescription("With latency: how much later.")),
  retry_after: z.int().min(0).max(86_400).optional().meta(withDescription("With throttle: seconds to wait.")),
};

const ExchangeBody = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

export const getExchange = defineControl(
  operation({
    ...controlDefaults,
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
        .meta({ title: "Number", ...withDescription("Its number in the log.") }),
    },
    responses: {
      200: json(z.object({ request: ExchangeBody, response: ExchangeBody }), "Headers and bodies."),
    },
  }),
  ({ exchanges }, { number }) => {
    const exchange = exchanges.get(number);
    if (!exchange) throw toNotFoundError("request", String(number));
    return exchange;
  },
);

export const listFaults = defineControl(
  operation({
    ...controlDefaults,
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
    faults.pending.map(({ operation: name, fault: { retryAfter, ...fault } }) => ({
      operation: name,
      ...fault,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    })),
);

/** A field that one kind has and no other. */
const onlyWithKind = (field: string, kind: FaultKind) => ({
  kind: "excluded-by" as const,
  fields: [field],
  other: "kind",
  values: faultKinds.filter((each) => each !== kind),
  description: `${field} goes with kind ${kind} alone.`,
});

export const addFault = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.addFault",
    tool: "sandbox_add_fault",
    title: "Add fault",
    summary: "Spoils the next calls of an operation.",
    method: "POST",
    path: "/_sandbox/faults",
    body: z.object({
      ...faultFields,
      times: z.int().min(1).max(1_000).default(1).meta(withDescription("How many calls.")),
    }),
    rules: [
      requiredWith("status", "kind", "status"),
      requiredWith("milliseconds", "kind", "latency"),
      requiredWith("retry_after", "kind", "throttle"),
      onlyWithKind("status", "status"),
      onlyWithKind("milliseconds", "latency"),
      onlyWithKind("retry_after", "throttle"),
    ],
    responses: { 204: empty("Done.") },
  }),
  ({ faults }, { operation: name, times, retry_after: retryAfter, ...fault }) => {
    try {
      faults.add(name, { ...fault, retryAfter }, times);
    } catch (error) {
      throw toValidationError((error as Error).message);
    }
  },
);

export const clearFaults = defineControl(
  operation({
    ...controlDefaults,
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

export const requestsAndFaultsControls = [
  listRequests,
  getExchange,
  listFaults,
  addFault,
  clearFaults,
] as const;
