/** Controls for the request log and for faults. */
import { empty, json, operation } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import { type FaultKind, faultKinds } from "../../session/fault-queue";
import {
  defineControl,
  controlDefaults,
  toNotFoundError,
  requiredWith,
  withDescription,
  Time,
} from "./define-control";
import { toValidationError } from "../../world/common/domain-error";

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
    summary: "Lists the logged requests with status and reason of refusal.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/requests",
    responses: { 200: json(z.array(LoggedRequest), "The last 1,000 requests, oldest first.") },
  }),
  ({ requests }) => [...requests],
);

const faultFields = {
  operation: z.string().meta(withDescription("Name of the operation.", "trades.book")),
  kind: z
    .enum(faultKinds)
    .meta(
      withDescription(
        "status: respond with a documented status, do nothing. latency: respond late. reset-before, reset-after: reset " +
          "the connection before or after the work. cut-off: send half the response. throttle: 429 with Retry-After.",
      ),
    ),
  status: z.int().optional().meta(withDescription("For kind status: status of the response.")),
  milliseconds: z
    .int()
    .min(1)
    .max(600_000)
    .optional()
    .meta(withDescription("For kind latency: delay in milliseconds.")),
  retry_after: z
    .int()
    .min(0)
    .max(86_400)
    .optional()
    .meta(withDescription("For kind throttle: value of Retry-After in seconds.")),
};

const ExchangeBody = z.object({ headers: z.record(z.string(), z.string()), body: z.string() });

export const getExchange = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.getExchange",
    tool: "sandbox_get_exchange",
    title: "Request and response",
    summary: "Returns headers and bodies of one of the last 100 requests and its response.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/requests/{number}",
    parameters: {
      number: z
        .int()
        .min(1)
        .meta({ title: "Number", ...withDescription("Number of the request in the log.") }),
    },
    responses: {
      200: json(z.object({ request: ExchangeBody, response: ExchangeBody }), "The request and the response."),
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
    summary: "Lists the pending faults.",
    effect: "read",
    method: "GET",
    path: "/_sandbox/faults",
    responses: { 200: json(z.array(z.object(faultFields)), "One entry per affected call.") },
  }),
  ({ faults }) =>
    faults.pending.map(({ operation: name, fault: { retryAfter, ...fault } }) => ({
      operation: name,
      ...fault,
      ...(retryAfter !== undefined && { retry_after: retryAfter }),
    })),
);

/** Rule: `field` is allowed with one kind only. */
const onlyWithKind = (field: string, kind: FaultKind) => ({
  kind: "excluded-by" as const,
  fields: [field],
  other: "kind",
  values: faultKinds.filter((each) => each !== kind),
  description: `${field} is allowed with kind ${kind} only.`,
});

export const addFault = defineControl(
  operation({
    ...controlDefaults,
    name: "sandbox.addFault",
    tool: "sandbox_add_fault",
    title: "Add fault",
    summary: "Injects a fault into the next calls of an operation.",
    method: "POST",
    path: "/_sandbox/faults",
    body: z.object({
      ...faultFields,
      times: z.int().min(1).max(1_000).default(1).meta(withDescription("Number of calls.")),
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
    summary: "Removes all pending faults.",
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
