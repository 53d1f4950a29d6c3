/** Money calls that were made, or wait for release: a new call is compared with them before it repeats one. */
import type { CallOptions } from "../call/call-options";
import { type ClientContext, environmentOf } from "../call/client-context";
import { actorOf, settingsFor } from "../call/prepare";
import type { EarlierCall, EarlierCalls } from "../call/response";
import { openJournal } from "../journal/journal";
import { customerOf } from "../journal/outcome-lookup";
import type { ReleaseMiddleware } from "../releases/release-middleware";
import type { Declaration } from "../spec/operation";
import { storeExists } from "../store/settings";

const maxReleases = 1_000;

interface Question {
  readonly operations: readonly Declaration[];
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly options: CallOptions;
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

async function listJournaled(
  context: ClientContext,
  { operations, since }: Question,
  isOwn: (actor: string | undefined) => boolean,
): Promise<EarlierCall[]> {
  const journal = await openJournal(context.store);
  const found: EarlierCall[] = [];
  try {
    for (const operation of operations) {
      const environment = environmentOf(context, operation);
      if (environment === undefined) continue;
      const scope = { environment, client: customerOf(context, operation), operation: operation.name };
      for await (const entry of journal.listBegun(scope, { from: since, to: Number.MAX_SAFE_INTEGER })) {
        const { id, key, state, begunAt: at, ending, intent } = entry;
        const { target, body } = intent?.call ?? {};
        found.push({
          id,
          operation: operation.name,
          key,
          state,
          at,
          isOwn: isOwn(intent?.actor),
          target: textOf(target),
          body: textOf(body),
          identity: ending?.identity,
        });
      }
    }
  } finally {
    await journal.close();
  }
  return found;
}

/** Lists the calls of this environment and client that the journal has or that were requested for release. */
export async function listEarlierCalls(
  context: ClientContext,
  releases: ReleaseMiddleware,
  question: Question,
): Promise<EarlierCalls> {
  const { operations, since, options } = question;
  // Listing does not create the store.
  if (!storeExists(context.store)) return { calls: [], isComplete: true };
  const own = { ...context, settings: settingsFor(context, options) };
  const isVisible = await releases.visibleTo(operations[0]!.name, options);
  const requester = actorOf(context, options);
  const journaled = await listJournaled(own, question, (actor) => !isVisible || actor === requester);
  const environments = operations.flatMap((operation) => environmentOf(own, operation) ?? []);
  const listed = await releases.service.list({
    environments: [...new Set(environments)],
    limit: maxReleases,
  });
  const names = new Map(operations.map((operation) => [operation.name, customerOf(own, operation)]));
  const requested = listed.releases.flatMap((release): EarlierCall[] => {
    const { id, key, state, sealed, requestedAt: at } = release;
    if (sealed.kind !== "call" || state === "sent" || names.get(sealed.operation) !== sealed.client)
      return [];
    const { operation, terms } = sealed;
    const { target, body } = terms;
    return [
      {
        id,
        operation,
        key,
        state,
        at,
        isOwn: !isVisible || isVisible(release),
        target,
        body,
        identity: undefined,
      },
    ];
  });
  const isComplete = listed.isComplete || (listed.releases.at(-1)?.requestedAt ?? since) < since;
  return { calls: [...journaled, ...requested.filter(({ at }) => at >= since)], isComplete };
}
