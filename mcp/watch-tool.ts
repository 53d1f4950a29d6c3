/** A watch as a tool: what is new or has changed after a cursor. */
import { z } from "zod";
import type { ClientCore } from "../core/client/client-types";
import type { ServiceResponse } from "../core/client/response";
import { json } from "../core/declaration/declare";
import { memoizePerOperation, type Values } from "../core/declaration/fields";
import type { Callable } from "../core/declaration/operation";
import type { Change, Watch } from "../core/declaration/watch";
import type { ListResult } from "./read-list";
import { argumentsOf } from "./argument-names";
import type { JsonObject } from "./protocol";
import { maxResultLength } from "./result-content";
import { jsonLength } from "./truncate";

/** The arguments of such a tool that are its own. */
const ownArguments = { cursor: "cursor", from: "from" } as const;

/** All assistants that share a store share what they are told. */
const consumer = "mcp";

/** Who asks wants what there is now; who asks again and again does not ask the service each time. */
const maxPollIntervalMs = 10_000;

/** As many as one result holds, as a rule. */
const maxChangesPerResult = 20;

/** Where it may begin at a day, that may be said; else it begins as it is declared. */
export const watchInputProperties = ({ day }: Watch): JsonObject => ({
  ...(day && {
    [ownArguments.from]: {
      type: "string",
      description: "Start of a new watch: now, beginning or a day (YYYY-MM-DD); later calls ignore it.",
    },
  }),
  [ownArguments.cursor]: {
    type: "string",
    description: "`cursor` of the last result; acknowledges its changes.",
  },
});

/** The arguments of the watch, and those of the tool. Strict hosts send null for what is left out. */
export function splitWatchArguments(input: JsonObject): readonly [given: JsonObject, own: JsonObject] {
  const { [ownArguments.cursor]: cursor, [ownArguments.from]: from, ...given } = input;
  return [given, { ...(cursor != null && { cursor }), ...(from != null && { from }) }];
}

/** A change as it is shown: what it is told of stands in it as a whole. */
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

/** The watch as what a tool returns: its changes are the answer. */
export const watchAsCallable = memoizePerOperation((watch: Watch): Callable => {
  const change = z.object({
    kind: z.string(),
    id: z.string(),
    entry: entrySchemaOf(watch).optional(),
    before: z.unknown().optional(),
    at: z.string(),
    repeated: z.boolean().optional(),
  });
  const output = z.object({
    count: z.int(),
    cursor: z.string(),
    gaps: z.array(z.string()).optional(),
    changes: z.array(change),
  });
  return { ...watch, responses: { 200: json(output, "New and changed entries.") }, resultList: "changes" };
});

/** As many changes as one result holds, one at least. */
function takeFittingChanges(changes: readonly Change[]): Change[] {
  let remaining = maxResultLength;
  return changes.filter((change, index) => {
    remaining -= jsonLength(toShownChange(change));
    return index === 0 || remaining >= 0;
  });
}

interface WatchReadOptions {
  readonly cursor?: unknown;
  readonly from?: unknown;
  readonly signal: AbortSignal | undefined;
}

const optionalText = (name: string, value: unknown) => (value === undefined ? {} : { [name]: String(value) });

/**
 * The changes after the cursor, which says that those before it were heard. Throws what the read throws, and InvalidInput
 * for a cursor that is none.
 */
export async function readChanges(
  watch: Watch,
  client: Pick<ClientCore, "changesSince">,
  values: Values,
  { cursor: after, from, signal }: WatchReadOptions,
): Promise<ListResult> {
  const batch = await client.changesSince(watch, values, {
    consumer,
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
