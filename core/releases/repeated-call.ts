/** Compares a call again just before it is sent, with the calls that were sent since its procedure compared it. */
import { readEventsSince } from "../journal/checked-events";
import { type EntryState, isNotExecuted } from "../journal/entry";
import { getEntry, stateAfter } from "../journal/entry-rows";
import { isProcedure, type RepeatedPart } from "../spec/procedure";
import type { Service } from "../spec/service";
import type { SendTransaction } from "../store/database";
import type { Release } from "./release";

/** Allows for a clock of the requester that is ahead of that of the store. */
export const clockMarginMs = 3_600_000;

interface JournaledCall {
  readonly operation: string;
  readonly client: string;
  readonly state: EntryState;
  /** Position in the journal at which its sender claimed it last. */
  readonly claimedAt: number;
  /** Release that allowed the call. */
  readonly release?: string;
}

/** Why a request must not be sent now: it repeats a call that was sent, or may have been. */
export interface Repetition {
  readonly reason: string;
  /** True if the other call was carried out; false as long as that is not known. */
  readonly isCertain: boolean;
}

async function listCallsSince(transaction: SendTransaction, environment: string, since: number) {
  const calls = new Map<string, JournaledCall>();
  for (const row of await readEventsSince(transaction, environment, since)) {
    const [entry, kind] = [String(row.entry), String(row.kind)];
    const content = JSON.parse(String(row.content)) as Partial<JournaledCall>;
    const { operation = "", client = "", release } = content;
    const call =
      kind === "intent"
        ? { operation, client, state: "intended" as const, claimedAt: Number(row.seq) }
        : calls.get(entry);
    if (!call) continue;
    const state = (stateAfter(kind, content) ?? call.state) as EntryState;
    calls.set(entry, { ...call, state, ...(release !== undefined && { release }) });
  }
  return calls;
}

function describeRepetition(part: RepeatedPart, id: string, state: EntryState): Repetition {
  const isCertain = state === "done";
  const verb = isCertain && part.isRead ? "repeats" : "may repeat";
  const facts = [
    isCertain ? "which was sent after this request was checked" : "whose outcome is not known yet",
    ...(part.isRead ? [] : ["and which cannot be compared with it"]),
  ];
  return { reason: `${part.subject} ${verb} journal entry ${id}, ${facts.join(", ")}.`, isCertain };
}

/**
 * Returns the call that a request repeats or may repeat, or undefined. Calls that the request was compared with before are left
 * out: they repeat nothing, or were shown to the people who released it.
 */
export async function findRepetition(
  transaction: SendTransaction,
  { sealed, requestedAt }: Pick<Release, "sealed" | "requestedAt">,
  { procedures = [] }: Pick<Service, "procedures">,
): Promise<Repetition | undefined> {
  if (sealed.kind !== "call" || !sealed.compared) return undefined;
  const { compared, environment, client, terms } = sealed;
  const procedure = procedures.find(({ name }) => name === compared.by);
  if (!procedure || !isProcedure(procedure) || !procedure.repetition)
    return {
      reason: `This process has no procedure ${compared.by} to compare the request again.`,
      isCertain: false,
    };
  const { operations, find } = procedure.repetition;
  // The requester's clock may be ahead; the clock of the store dates the release.
  const since = Math.min(compared.at, requestedAt) - clockMarginMs;
  const calls = await listCallsSince(transaction, environment, since);
  const ownClaim = calls.get(transaction.entry)?.claimedAt ?? Number.POSITIVE_INFINITY;
  /** True for a call that is about to be compared with this one. If each waited for the other, both would wait for good. */
  const isNext = (call: JournaledCall) =>
    call.operation === sealed.operation && call.state === "intended" && call.claimedAt > ownClaim;
  let uncertain: Repetition | undefined;
  for (const [id, call] of calls) {
    if (!operations.includes(call.operation) || call.client !== client || isNotExecuted(call) || isNext(call))
      continue;
    const isKnown = [id, call.release].some((each) => each !== undefined && compared.known.includes(each));
    if (id === transaction.entry || isKnown) continue;
    const body = (await getEntry(transaction, id))?.intent?.call.body;
    const part = find(terms.body, typeof body === "string" ? body : undefined);
    if (!part) continue;
    const repetition = describeRepetition(part, id, call.state);
    if (repetition.isCertain) return repetition;
    uncertain ??= repetition;
  }
  return uncertain;
}
