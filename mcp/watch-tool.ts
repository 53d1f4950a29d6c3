/** A watch as a tool: new and changed entries after a cursor. */
import { z } from "zod";
import type { ClientCore } from "../core/api/client-types";
import type { CallOptions } from "../core/call/call-options";
import type { ServiceResponse } from "../core/call/response";
import { json } from "../core/spec/declare";
import { memoizePerOperation, type Values } from "../core/spec/fields";
import type { Callable } from "../core/spec/operation";
import type { Change, Watch } from "../core/spec/watch";
import type { JsonObject } from "./render/content";
import { argumentsOf } from "./render/names";
import type { ListResult } from "./render/rows";
import { jsonLength, maxResultLength } from "./render/values";

/** Arguments of the tool that are not fields of the watch. */
const ownArguments = { cursor: "cursor", from: "from" } as const;

/**
 * Returns the consumer of a caller. Each person with a token has an own position; assistants without one share a consumer, so each
 * change is delivered to one of them.
 */
const consumerOf = (person: string | undefined): string => (person === undefined ? "mcp" : `mcp:${person}`);

/** Upper bound of the poll interval: calls get current data, and frequent calls do not reach the service each time. */
const maxPollIntervalMs = 10_000;

/** Usually fits in one result. */
const maxChangesPerResult = 20;

/** Input schema of the own arguments; `from` only if the watch can start at a day. */
export const watchInputProperties = ({ day }: Watch): JsonObject => ({
  ...(day && {
    [ownArguments.from]: {
      type: "string",
      description: "Start of a new watch: now, beginning or a day.",
    },
  }),
  [ownArguments.cursor]: {
    type: "string",
    description: "From the last result; acknowledges its changes.",
  },
});

/** Where a read of changes begins. */
export interface WatchPosition {
  readonly cursor?: unknown;
  readonly from?: unknown;
}

/** Separates the fields of the watch from the position. Strict hosts send null for omitted arguments. */
export function splitWatchArguments(
  input: JsonObject,
): readonly [given: JsonObject, position: WatchPosition] {
  const { [ownArguments.cursor]: cursor, [ownArguments.from]: from, ...given } = input;
  return [given, { ...(cursor != null && { cursor }), ...(from != null && { from }) }];
}

/** Selects the fields of a change that are shown. */
const toShownChange = ({ kind, id, entry, before, at, repeated }: Change) => ({
  kind,
  id,
  ...(entry !== undefined && { entry }),
  ...(before !== undefined && { before }),
  at,
  ...(repeated && { repeated }),
});

const entrySchemaOf = ({ responses }: Watch): z.ZodType => {
  const [response] = Object.values(responses);
  return response?.kind === "json" ? response.schema : z.unknown();
};

/** Describes the output of the tool, with the changes as result list. */
export const watchAsCallable = memoizePerOperation((watch: Watch): Callable => {
  const change = z.object({
    kind: z.string().describe("new, changed or gone."),
    id: z.string().describe("ID of the entry."),
    entry: entrySchemaOf(watch).optional().describe("The entry."),
    before: z.unknown().optional().describe("The entry before a change."),
    at: z.string().describe("Time at which the change was seen, UTC."),
    repeated: z.boolean().optional().describe("True if the change was delivered before."),
  });
  const output = z.object({
    count: z.int().describe("Number of changes in this result."),
    cursor: z.string().describe("Acknowledges these changes when the next call passes it."),
    gaps: z.array(z.string()).optional().describe("What could not be read."),
    changes: z.array(change).describe("Changes, oldest first."),
  });
  return { ...watch, responses: { 200: json(output, "New and changed entries.") }, resultList: "changes" };
});

/** Returns the changes that fit in one result, at least one. */
function takeFittingChanges(changes: readonly Change[]): Change[] {
  let remaining = maxResultLength;
  return changes.filter((change, index) => {
    remaining -= jsonLength(toShownChange(change));
    return index === 0 || remaining >= 0;
  });
}

const optionalText = (name: string, value: unknown) => (value === undefined ? {} : { [name]: String(value) });

/**
 * Reads the changes after the cursor, which acknowledges those before it. Throws the errors of the read, and InvalidInput
 * for an invalid cursor.
 */
export async function readChanges(
  watch: Watch,
  client: Pick<ClientCore, "changesSince">,
  values: Values,
  { cursor: after, from }: WatchPosition,
  { signal, user }: Pick<CallOptions, "signal" | "user">,
): Promise<ListResult> {
  const batch = await client.changesSince(watch, values, {
    consumer: consumerOf(user),
    everyMs: Math.min(watch.everyMs, maxPollIntervalMs),
    limit: maxChangesPerResult,
    ...optionalText("from", from),
    ...optionalText("cursor", after),
    ...(signal && { signal }),
  });
  const changes = takeFittingChanges(batch.changes);
  const cursor = changes.at(-1)?.cursor ?? batch.next;
  const hasMore = batch.hasMore || changes.length < batch.changes.length;
  const { gaps } = batch;
  const body = {
    count: changes.length,
    cursor,
    ...(gaps.length > 0 && { gaps }),
    changes: changes.map(toShownChange),
  };
  const { changes: shown, ...metadata } = body;
  const response: ServiceResponse = {
    status: 200,
    body,
    headers: {},
    total: undefined,
    requestId: undefined,
    attempts: 0,
    violations: [],
  };
  const rows = shown.map((value) => ({ path: ["changes"], value }));
  return {
    pages: [{ response, values, metadata, rows, following: undefined }],
    rows,
    isContinuation: false,
    ...(hasMore && { nextArguments: { ...argumentsOf(watch, values), [ownArguments.cursor]: cursor } }),
  };
}
