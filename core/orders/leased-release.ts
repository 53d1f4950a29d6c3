/** A release whose lease this process holds: what carrying it out needs, and the only function that writes it. */
import type { CallOptions } from "../call/call-options";
import type { PreAuthorization } from "../call/middleware";
import type { ServiceResponse } from "../call/response";
import type { Journal } from "../journal/journal";
import type { Call, Release, ReleaseProgress } from "../releases/release";
import type { Authority } from "../releases/release-guard";
import { changeReleases, getRelease, transitionRelease } from "../releases/repository";
import { isFinalState, isUnsentState, type ReleaseState } from "../releases/states";
import type { SealedOrder, SealedRequest } from "../releases/terms";
import type { Values } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import type { StoreSession } from "../store/session";
import type { QuoteOperation } from "../spec/quotes";

/** Makes a call of an order through its client. */
export type OrderCall = (
  operation: Declaration,
  input: Values,
  options: CallOptions,
  preAuthorization: PreAuthorization,
) => Promise<ServiceResponse>;

/** Operations with which orders are booked. */
export interface OrderOperations {
  readonly quoteOperation: QuoteOperation;
  readonly bookOperation: Declaration;
  readonly getOperation: Declaration;
}

/** Access to the service, the journal and the policy. */
export interface ExecutorDependencies {
  readonly store: StoreSession;
  readonly journal: Journal;
  /** Undefined if the service cannot quote: no orders are booked. */
  readonly operations: OrderOperations | undefined;
  readonly call: OrderCall;
  /** Makes the call of a released request, if it is exactly the released one. */
  readonly sendReleased: (release: Call) => Promise<unknown>;
  /** Returns why a stored order is none that this process would request and send, or undefined. */
  readonly findOrderProblem: (sealed: SealedOrder) => string | undefined;
  readonly authority: (sealed: SealedRequest) => Promise<Authority>;
  /** Searches for the outcome of a call. */
  readonly recover: (entry: string) => Promise<unknown>;
  /** Called if a booked trade deviates from its order. */
  readonly onAlarm: (line: string) => void;
}

/** Returns the options with which a call acts for the requester of an order. */
export const callOptionsFor = ({ client, contactId, requester }: SealedOrder): CallOptions => ({
  surface: "order",
  ...(requester !== undefined && { actor: requester }),
  ...(client !== "" && { clientId: client }),
  ...(contactId !== undefined && { contactId }),
});

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Delay of a release that needs no further step. */
export const never = Number.POSITIVE_INFINITY;
/** Stored for `never`: a time that no clock reaches. */
const neverAt = 8_000_000_000_000_000;

/** Progress to record, and when the next step is due. */
interface ReleaseUpdate extends ReleaseProgress {
  /** The next state. Without it, the state stays. */
  readonly to?: ReleaseState;
  readonly dueInMs: number;
}

/**
 * Writes the state and progress of a release, and returns it. Writes nothing and returns undefined if another process holds the
 * lease by now, or if a person cancelled or refused the request meanwhile.
 */
export function transition<T extends Release>(
  store: StoreSession,
  { id, fence }: T,
  { to, dueInMs, ...changes }: ReleaseUpdate,
): Promise<T | undefined> {
  return changeReleases(store, async (access) => {
    const current = await getRelease(access, id);
    const { state, progress, entry = null, sealed } = current;
    if (current.fence !== fence) return undefined;
    // A booked order is final, except that it is verified.
    if (state === "booked" ? changes.remark !== undefined : isFinalState(state)) return undefined;
    const next = to ?? state;
    const { remark: _, ...withoutRemark } = progress;
    const dueAt = Math.min(access.moment + dueInMs, neverAt);
    const canExpire = isUnsentState(next) && sealed.validUntil > access.moment;
    return (await transitionRelease(access, current, next, {
      // A remark belongs to the state in which it was written.
      progress: { ...(next === state ? progress : withoutRemark), ...changes },
      // A request that can still expire is processed then at the latest.
      nextAt: canExpire ? Math.min(dueAt, sealed.validUntil) : dueAt,
      // A request that is released again was not sent.
      entry: to === "released" ? null : entry,
    })) as T;
  });
}
