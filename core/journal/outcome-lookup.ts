/** Queries the service for the outcome of earlier calls, bypassing the caller's interceptors. */
import type { CallOptions } from "../call/call-options";
import { type ClientContext, environmentOf } from "../call/client-context";
import { isPaged, fetchPages } from "../call/pages";
import { createRequest, limitTime, type Handler } from "../call/middleware";
import { prepareCall } from "../call/prepare";
import type { PreparedCall } from "../call/prepared-call";
import type { ServiceResponse } from "../call/response";
import { findBodyViolations } from "../call/response-body";
import { type Values, fieldsOf } from "../spec/fields";
import type { Declaration, ListedRecovery } from "../spec/operation";
import type { Service } from "../spec/service";
import { propertyOf } from "../values/kind";
import type { EntryOutcome, Entry } from "./entry";
import type { CallScope } from "../store/call-scope";
import { type ListedItem, parseListed } from "./reference-search";
import { outcomeOfResponse } from "./replay";

/** True if the outcome of the operation's calls can be looked up at this service with these settings. */
const isRecoverable = ({ recovery }: Declaration, { settings }: ClientContext): boolean =>
  recovery !== undefined && (recovery.kind === "listed" || settings[recovery.setting] === "yes");

/** Returns the customer for whom a connection makes calls by default. */
export function customerOf({ service, settings }: ClientContext, operation: Declaration): string {
  const fields = fieldsOf(operation);
  const values = (service.customerFields ?? []).map((name) => {
    const field = fields.find((each) => each.name === name);
    return field && settings[field.setting];
  });
  return values.find((value) => value !== undefined) ?? "";
}

/** Returns the scopes of a connection whose calls can be recovered. */
export const scopesOf = (context: ClientContext): CallScope[] =>
  context.service.operations
    .filter((operation) => isRecoverable(operation, context))
    .flatMap((operation) => {
      const environment = environmentOf(context, operation);
      const client = customerOf(context, operation);
      return environment === undefined ? [] : [{ environment, client, operation: operation.name }];
    });

/** True if the connection can look up the call: same operation and environment. */
export const isInScope = ({ operation, environment }: CallScope, context: ClientContext): boolean =>
  scopesOf(context).some((scope) => scope.operation === operation && scope.environment === environment);

/** Returns options that list the calls of the scope's client if it differs from the connection's. */
function listOptionsFor(
  { customerFields = [] }: Service,
  list: Declaration,
  { client }: CallScope,
): CallOptions {
  const field = fieldsOf(list).find(({ name }) => customerFields.includes(name));
  return field?.setting === "clientId" && client !== "" ? { clientId: client } : {};
}

/** Returns the success status of the original call, which the listed item stands in for. */
function successStatusOf({ responses, identifiedBy = "" }: Declaration): number {
  const found = Object.entries(responses).find(
    ([, response]) => response.kind === "json" && propertyOf(response.schema, identifiedBy),
  );
  return Number((found ?? Object.entries(responses)[0]!)[0]);
}

/** Access to the service for recovery. Requests in progress end with the signal. */
export type OutcomeLookup = ReturnType<typeof createOutcomeLookup>;

/** `sendRequest` sends without other middleware: lookups in the background, and money calls for the second time. */
export function createOutcomeLookup(context: ClientContext, sendRequest: Handler) {
  const { service } = context;
  const operationNamed = (name: string) => service.operations.find((operation) => operation.name === name);
  const prepare = (operation: Declaration, input: Values, options: CallOptions) =>
    prepareCall(operation, input, context, options);
  const send = (call: PreparedCall) => {
    const request = createRequest(call, service);
    request.deadline.isInBackground = call.operation.effect === "read";
    return limitTime(context)(request, sendRequest);
  };
  const caller = {
    prepare,
    call(operation: Declaration, input: Values, options: CallOptions, target?: string) {
      return send(prepareCall(operation, input, context, options, target));
    },
  };

  async function* responses(
    list: Declaration,
    firstPage: number,
    options: CallOptions,
  ): AsyncGenerator<ServiceResponse> {
    const input = list.pages && firstPage > 1 ? { [list.pages.page]: firstPage } : {};
    if (isPaged(list)) yield* fetchPages(list, input, caller, options);
    else yield await caller.call(list, {}, options);
  }

  return {
    /** Returns the operation, or undefined if the outcome of its calls cannot be looked up. */
    operation(name: string): Declaration | undefined {
      const operation = operationNamed(name);
      return operation && isRecoverable(operation, context) ? operation : undefined;
    },

    /** True if the connection can look up the calls of the scope, for any client. */
    reaches: (scope: CallScope): boolean => isInScope(scope, context),

    /** Yields the pages of the list of calls in a scope, from this page if they are numbered. */
    async *readPages(
      { lookup, recovery }: Declaration,
      scope: CallScope,
      firstPage: number,
      signal: AbortSignal,
    ): AsyncIterable<readonly ListedItem[]> {
      const list = operationNamed(lookup!)!;
      const options = { ...listOptionsFor(service, list, scope), signal };
      for await (const { body } of responses(list, firstPage, options))
        yield parseListed(list, recovery as ListedRecovery, body);
    },

    /** Returns the outcome of a listed call. */
    outcomeOf(operation: Declaration, { identity, body }: ListedItem): EntryOutcome {
      const status = successStatusOf(operation);
      const lostResponse = {
        field: "",
        message: `The response was lost. These values come from ${operation.lookup}, where the call was found`,
      };
      const violations = [lostResponse, ...findBodyViolations(operation, status, body)];
      return { state: "done", by: "recovery", status, identity, details: { body, headers: {}, violations } };
    },

    /** Throws an FxdeskError while a halt is in force. */
    assertNotHalted: (operation: Declaration) => context.haltChecker.assertNotHalted(operation),

    /** Repeats a call under its request ID and returns the outcome. Throws an Error if it is still unknown. */
    async resend(operation: Declaration, { intent }: Entry, signal: AbortSignal): Promise<EntryOutcome> {
      const storedCall = intent!.call as Pick<PreparedCall, "address" | "target" | "headers"> & {
        body?: string;
      };
      const { address, target, headers, body } = storedCall;
      const requestId = service.requestIdHeader!;
      if (headers[requestId] === undefined)
        throw new Error("The call was sent without a request ID, so it cannot be repeated safely.");
      const values = { [requestId]: headers[requestId] };
      const call = { operation, values, given: {}, address, target, headers, body, options: { signal } };
      return outcomeOfResponse(operation, await send(call));
    },
  };
}
