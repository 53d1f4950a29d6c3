/** Service for releases: request, decide, cancel, list. */
import { randomBytes } from "node:crypto";
import type { StoreSession } from "../store/session";
import type { Value, SendGuard } from "../store/database";
import {
  canBeApproved,
  hasEnoughApprovals,
  canDecide,
  type ApprovalRequirement,
  describeRequirements,
  approvalRequirements,
} from "./policy-evaluation";
import { type People, hasValidSignature, signDecision } from "./people";
import type { Policy } from "./policy";
import { type Decision, isFinalState, type Release, type ReleaseState } from "./release";
import type { ConfirmRelease, ReleaseProposal } from "../call/call-options";
import {
  listDecisions,
  getRelease,
  insertRelease,
  saveDecision,
  readClock,
  updateRelease,
  listReadableReleases,
  selectReleases,
} from "./release-rows";
import type { StoreAccess } from "../store/open";
import { requestHashOf, type SealedRequest } from "./terms";

/** The release does not allow the action. Nothing was changed. */
export class ReleaseRefusal extends Error {
  override readonly name = "ReleaseRefusal";
}

export class ReleaseNotFound extends ReleaseRefusal {
  constructor(id: string) {
    super(`Release ${id} does not exist.`);
  }
}

/** The requester declined to request the release. */
export class RequestDeclined extends ReleaseRefusal {}

export interface ReleaseRequest {
  readonly sealed: SealedRequest;
  /** The caller's input, by which a repeated request is recognised. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
  /** True if a repetition is always the same call, even after it was sent and without a key. */
  readonly isSingleUse?: boolean;
  readonly requirements: readonly ApprovalRequirement[];
}

/** Digits and capital letters without easily confused ones. */
const idAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns an ID, for example `R-7K3M9QW2X5AB`, with 60 random bits. */
function createReleaseId(): string {
  return `R-${Array.from(randomBytes(12), (byte) => idAlphabet[byte & 31]).join("")}`;
}

/** Returns the state at a moment. An unused request expires by time alone, before any process records it. */
export const effectiveState = ({ state, sealed: { validUntil } }: Release, moment: number): ReleaseState =>
  (state === "waiting" || state === "released") && validUntil <= moment ? "expired" : state;

/** Returns the release in its effective state, with a remark if it expired. */
function withEffectiveState(release: Release, moment: number): Release {
  const state = effectiveState(release, moment);
  if (state === release.state) return release;
  const reason =
    release.state === "waiting"
      ? "The request was not released in time."
      : "The request expired before it was sent.";
  const remark = [reason, release.progress.remark].filter(Boolean).join(" ");
  return { ...release, state, progress: { ...release.progress, remark } };
}

/** One transaction of the service. */
interface Transaction extends StoreAccess {
  readonly moment: number;
}

async function getReleaseOrThrow(transaction: StoreAccess, id: string): Promise<Release> {
  const release = await getRelease(transaction, id);
  if (!release) throw new ReleaseNotFound(id);
  return release;
}

/** True if a repeated call refers to this release instead of creating another. */
const isReusable = (release: Release, moment: number): boolean => {
  const state = effectiveState(release, moment);
  return release.sealed.kind === "order" || state === "sent" || !isFinalState(state);
};

/** Returns the earlier release of the same request, or undefined. Throws if the key belongs to another request. */
async function findExisting(
  transaction: Transaction,
  { sealed, key, isSingleUse = false }: ReleaseRequest,
  requestHash: string,
): Promise<Release | undefined> {
  const { environment, client, operation } = sealed;
  if (key !== undefined) {
    const [latest] = await selectReleases(
      transaction,
      `WHERE environment = $1 AND client = $2 AND operation = $3 AND key = $4
       ORDER BY asked_at DESC, id LIMIT 1`,
      [environment, client, operation, key],
    );
    if (!latest) return undefined;
    if (latest.requestHash !== requestHash)
      throw new ReleaseRefusal(
        `The key ${JSON.stringify(key)} belongs to another request, ${latest.id}, which is ${effectiveState(latest, transaction.moment)}. Under another key, this request may be carried out in addition.`,
      );
    return isReusable(latest, transaction.moment) ? latest : undefined;
  }
  if (sealed.kind === "order") return undefined;
  const open = await selectReleases(
    transaction,
    `WHERE asks = $1 AND state IN ('waiting', 'released'${isSingleUse ? ", 'sent'" : ""}) ORDER BY asked_at LIMIT 20`,
    [requestHash],
  );
  return open.find((release) => isReusable(release, transaction.moment));
}

/** A decision of an authenticated person. */
export interface DecisionRequest {
  readonly person: string;
  readonly decision: Decision["decision"];
  readonly note?: string | undefined;
  /** Seal of the terms that the person was shown, if any. Rejects the decision if the terms differ. */
  readonly seal?: string | undefined;
  readonly policy: Policy;
  readonly people: People;
}

const minuteMs = 60_000;

/** Returns why a person cannot decide, or undefined. */
export function findDecisionProblem(
  { id, sealed }: Pick<Release, "id" | "sealed">,
  state: ReleaseState,
  { person, decision, policy }: Pick<DecisionRequest, "person" | "decision" | "policy">,
): string | undefined {
  if (state !== "waiting" && !(state === "released" && decision === "refuse"))
    return `${id} is ${state}: it ${decision === "refuse" ? "can no longer be refused" : "cannot be released"}.`;
  const { asker } = sealed;
  const requirements = approvalRequirements(policy, sealed);
  if (asker === undefined)
    return `${id} has no recorded requester, so four-eyes approval is impossible. Cancel it and request again.`;
  if (person === asker) return `${person} requested ${id}: another person must decide.`;
  if (!policy.people.includes(person)) return `The policy does not list ${person} in people.`;
  if (!canDecide(policy, requirements, asker, person))
    return `${id} needs ${describeRequirements(requirements)}; ${person} cannot release it.`;
  return undefined;
}

export interface ReleaseFilter {
  /** Only these effective states; all by default. */
  readonly states?: readonly ReleaseState[] | undefined;
  readonly environments?: readonly string[];
  /** Order: newest request first (default), or latest change first. */
  readonly newest?: "asked" | "changed";
  readonly limit: number;
}

export interface ReleaseList {
  readonly releases: readonly Release[];
  /** True if no further releases match. */
  readonly isComplete: boolean;
}

export class ReleaseService {
  constructor(private readonly store: StoreSession) {}

  /**
   * Requests release, or returns the earlier release of the same request. Throws a ReleaseRefusal if the key belongs to another
   * request, and RequestDeclined if `confirm` declines.
   */
  async request(request: ReleaseRequest, confirm?: ConfirmRelease): Promise<Release> {
    const { sealed, given, key, requirements } = request;
    const requestHash = requestHashOf(sealed, given);
    const id = createReleaseId();
    // Confirmation may take minutes, so it holds no transaction; the state is checked again below.
    if (
      confirm &&
      requirements.length > 0 &&
      !(await this.#read((transaction) => findExisting(transaction, request, requestHash)))
    )
      await assertConfirmed(confirm, toProposal(sealed, describeRequirements(requirements), requestHash));
    return this.#transaction(async (transaction) => {
      // Retried if the COMMIT response was lost.
      const existing =
        (await getRelease(transaction, id)) ?? (await findExisting(transaction, request, requestHash));
      if (existing) return existing;
      const state = requirements.length > 0 ? "waiting" : "released";
      return insertRelease(
        transaction,
        { id, state, key: key ?? id, requestHash, sealed },
        transaction.moment,
      );
    });
  }

  /** Returns a release in its effective state, with its decisions. Throws ReleaseNotFound. */
  get(id: string): Promise<{ readonly release: Release; readonly decisions: readonly Decision[] }> {
    return this.#read(async (transaction) => {
      const release = await getReleaseOrThrow(transaction, id);
      return {
        release: withEffectiveState(release, transaction.moment),
        decisions: await listDecisions(transaction, id),
      };
    });
  }

  /** Lists releases, newest first. Omits releases that were changed in the store. */
  list({ states, environments, newest = "asked", limit }: ReleaseFilter): Promise<ReleaseList> {
    return this.#read(async (transaction) => {
      const values: Value[] = [];
      const addValue = (value: Value) => `$${values.push(value)}`;
      const isOneOf = (what: string, names: readonly string[]) =>
        `${what} IN (${names.map(addValue).join(", ")})`;
      const conditions = [
        ...(states ? [isOneOf(effectiveStateSql(addValue(transaction.moment)), states)] : []),
        ...(environments ? [isOneOf("environment", environments)] : []),
      ];
      const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
      const { releases, faults } = await listReadableReleases(
        transaction,
        `${where} ORDER BY ${newest}_at DESC, id LIMIT ${addValue(limit + 1)}`,
        values,
      );
      return {
        releases: releases.slice(0, limit).map((release) => withEffectiveState(release, transaction.moment)),
        isComplete: releases.length + faults.length <= limit,
      };
    });
  }

  /** Records the decision of an authenticated person. Throws a ReleaseRefusal if it is not allowed. */
  decide(id: string, request: DecisionRequest): Promise<Release> {
    const { person, decision, note, policy, people } = request;
    return this.#transaction(async (transaction) => {
      const { moment } = transaction;
      const release = await getReleaseOrThrow(transaction, id);
      const reason = findDecisionProblem(release, effectiveState(release, moment), request);
      if (reason !== undefined) throw new ReleaseRefusal(reason);
      const { hash, sealed, progress, entry = null } = release;
      if (request.seal !== undefined && request.seal !== hash)
        throw new ReleaseRefusal(
          `${id} differs from what was shown. No decision was recorded. Review it again.`,
        );
      const until = Math.min(sealed.validUntil, moment + policy.yesLastsMinutes * minuteMs);
      const signedDecision = signDecision(people, {
        release: id,
        hash,
        person,
        decision,
        at: moment,
        until,
        ...(note !== undefined && { note }),
      });
      await saveDecision(transaction, signedDecision);
      if (decision === "refuse") {
        const remark = `Refused by ${person}${note === undefined ? "." : `: ${note}`}`;
        await updateRelease(transaction, release, moment, {
          state: "refused",
          progress: { ...progress, remark },
          nextAt: 0,
          entry,
        });
      } else {
        const approvers = (await listDecisions(transaction, id))
          .filter((each) => each.hash === hash && each.decision === "release" && each.until > moment)
          .filter((each) => hasValidSignature(people, each))
          .map((each) => each.person);
        if (hasEnoughApprovals(policy, approvalRequirements(policy, sealed), sealed.asker, approvers))
          await updateRelease(transaction, release, moment, {
            state: "released",
            progress,
            nextAt: 0,
            entry,
          });
      }
      return getReleaseOrThrow(transaction, id);
    });
  }

  /** Cancels a pending release. Throws a ReleaseRefusal once the request was sent. */
  cancel(id: string, by: string | undefined): Promise<Release> {
    return this.#transaction(async (transaction) => {
      const release = await getReleaseOrThrow(transaction, id);
      const state = effectiveState(release, transaction.moment);
      if (state !== "waiting" && state !== "released")
        throw new ReleaseRefusal(`${id} is ${state}: it cannot be cancelled.`);
      const remark = by === undefined ? "Cancelled." : `Cancelled by ${by}.`;
      await updateRelease(transaction, release, transaction.moment, {
        state: "cancelled",
        progress: { ...release.progress, remark },
        nextAt: 0,
        entry: null,
      });
      return getReleaseOrThrow(transaction, id);
    });
  }

  /** Runs the guard of a call that is not recorded in the journal. */
  markSent(guard: SendGuard, entry: string): Promise<void> {
    return this.#transaction(({ run, sealer, moment }) => guard({ run, sealer, moment, entry }));
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.store.use(({ database, sealer }) =>
      database.transaction(async (run) => work({ run, sealer, moment: await readClock(run, database.now) })),
    );
  }

  #read<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.store.use(async ({ database: { run, now }, sealer }) =>
      work({ run, sealer, moment: await readClock(run, now) }),
    );
  }
}

function toProposal(
  { operation, environment, client, terms, validUntil }: SealedRequest,
  needs: string,
  asks: string,
): ReleaseProposal {
  return { operation, environment, client, terms: { ...terms }, validUntil, needs, asks };
}

async function assertConfirmed(confirm: ConfirmRelease, proposal: ReleaseProposal): Promise<void> {
  const isConfirmed = await confirm(proposal).catch((error: Error) => {
    throw new RequestDeclined(
      `The release could not be confirmed, so it was not requested: ${error.message}.`,
    );
  });
  if (!isConfirmed) throw new RequestDeclined("The release was declined, so it was not requested.");
}

/** SQL equivalent of `effectiveState`. */
const effectiveStateSql = (moment: string) =>
  `CASE WHEN state IN ('waiting', 'released') AND valid_until <= ${moment} THEN 'expired' ELSE state END`;

/** Returns why a request can never be approved, or undefined. */
export function findRequestProblem(
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  asker: string | undefined,
): string | undefined {
  if (requirements.length === 0) return undefined;
  if (asker === undefined)
    return "The request needs release by another person, but the requester is unknown: set FXDESK_ACTOR to a name listed in the policy.";
  if (!policy.people.includes(asker))
    return `The policy does not list ${asker} in people: set FXDESK_ACTOR to a listed name.`;
  return canBeApproved(policy, requirements, asker)
    ? undefined
    : `The request needs ${describeRequirements(requirements)}, which is impossible without ${asker}, the requester.`;
}
