/** The desk: where is asked for a yes, given one, and taken back what was asked for. */
import { randomBytes } from "node:crypto";
import type { StoreSession } from "../journal/store-session";
import type { Value } from "../store/database";
import type { SendGuard } from "../journal/entry";
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
import { type ConfirmRelease, toProposal, type ReleaseProposal } from "./proposal";
import {
  listDecisions,
  getRelease,
  insertRelease,
  saveDecision,
  readClock,
  updateRelease,
  listReadableReleases,
  selectReleases,
  type StoreAccess,
} from "./release-rows";
import { requestHashOf, type SealedRequest } from "./terms";

/** A release does not allow what was asked of it. Nothing was done. */
export class ReleaseRefusal extends Error {
  override readonly name = "ReleaseRefusal";
}

export class ReleaseNotFound extends ReleaseRefusal {
  constructor(id: string) {
    super(`There is no release ${id}.`);
  }
}

/** It was not to be asked for. */
export class RequestDeclined extends ReleaseRefusal {}

/** What is asked for. */
export interface ReleaseRequest {
  readonly sealed: SealedRequest;
  /** What the caller gave, by which it is known again. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
  /** Whether the same again is the same call, also once it has left, and where it has no key. */
  readonly isSingleUse?: boolean;
  readonly requirements: readonly ApprovalRequirement[];
}

/** Digits and capital letters, without those that are taken for one another. */
const idAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Such as `R-7K3M9QW2X5AB`: 60 bits of chance. */
function createReleaseId(): string {
  return `R-${Array.from(randomBytes(12), (byte) => idAlphabet[byte & 31]).join("")}`;
}

/** How it stands at a moment: what nobody used in time has expired, whether somebody wrote that down or not. */
export const effectiveState = ({ state, sealed: { validUntil } }: Release, moment: number): ReleaseState =>
  (state === "waiting" || state === "released") && validUntil <= moment ? "expired" : state;

/** The same with what there is to say of it, where nobody has written it down yet. */
function withEffectiveState(release: Release, moment: number): Release {
  const state = effectiveState(release, moment);
  if (state === release.state) return release;
  const reason = release.state === "waiting" ? "Nobody released it in time." : "Its time was over.";
  const remark = [reason, release.progress.remark].filter(Boolean).join(" ");
  return { ...release, state, progress: { ...release.progress, remark } };
}

/** The work of one transaction. */
interface Transaction extends StoreAccess {
  readonly moment: number;
}

async function getReleaseOrThrow(transaction: StoreAccess, id: string): Promise<Release> {
  const release = await getRelease(transaction, id);
  if (!release) throw new ReleaseNotFound(id);
  return release;
}

/** Whether the same call made again means this one, rather than another like it. */
const isReusable = (release: Release, moment: number): boolean => {
  const state = effectiveState(release, moment);
  return release.sealed.kind === "order" || state === "sent" || !isFinalState(state);
};

/** What was asked for before and is meant again; undefined where it is new. Throws where the key stands for something else. */
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
        `The key ${JSON.stringify(key)} stands for another request, ${latest.id}, which is ${effectiveState(latest, transaction.moment)}. Under another key, this one may come on top.`,
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

/** What a person says, and with what it is proved. */
export interface DecisionRequest {
  readonly person: string;
  readonly decision: Decision["decision"];
  readonly note?: string | undefined;
  /** The seal of what the person was shown, where they were shown something. */
  readonly seal?: string | undefined;
  readonly policy: Policy;
  readonly people: People;
}

const minuteMs = 60_000;

/** Why a person cannot decide on something; undefined where they can. */
export function findDecisionProblem(
  { id, sealed }: Pick<Release, "id" | "sealed">,
  state: ReleaseState,
  { person, decision, policy }: Pick<DecisionRequest, "person" | "decision" | "policy">,
): string | undefined {
  if (state !== "waiting" && !(state === "released" && decision === "refuse"))
    return `${id} is ${state}: ${decision === "refuse" ? "it cannot be refused any more" : "there is nothing to release"}.`;
  const { asker } = sealed;
  const requirements = approvalRequirements(policy, sealed);
  if (asker === undefined)
    return `Nobody knows who asked for ${id}, so nobody can be another than who asked.`;
  if (person === asker) return `${person} has asked for ${id}: somebody else must decide on it.`;
  if (!policy.people.includes(person)) return `The policy does not name ${person} among its people.`;
  if (!canDecide(policy, requirements, asker, person))
    return `${id} needs ${describeRequirements(requirements)}; that of ${person} does not count.`;
  return undefined;
}

/** Which releases are listed. */
export interface ReleaseFilter {
  /** Those that stand so; all by default. */
  readonly states?: readonly ReleaseState[] | undefined;
  readonly environments?: readonly string[];
  /** Whether those come first that were asked for last, or those of which something was said last. */
  readonly newest?: "asked" | "changed";
  readonly limit: number;
}

export interface ReleaseList {
  readonly releases: readonly Release[];
  /** Whether there are no more. */
  readonly isComplete: boolean;
}

export class ReleaseService {
  constructor(private readonly store: StoreSession) {}

  /**
   * Asks for something, or finds what was asked for before. Throws a ReleaseRefusal where its key stands for something else, and
   * NotAsked where it may not be asked for.
   */
  async request(request: ReleaseRequest, confirm?: ConfirmRelease): Promise<Release> {
    const { sealed, given, key, requirements } = request;
    const requestHash = requestHashOf(sealed, given);
    const id = createReleaseId();
    // A person may take minutes to answer: nothing is held meanwhile, and what changed in between is seen below.
    if (
      confirm &&
      requirements.length > 0 &&
      !(await this.#read((transaction) => findExisting(transaction, request, requestHash)))
    )
      await assertConfirmed(confirm, toProposal(sealed, describeRequirements(requirements), requestHash));
    return this.#transaction(async (transaction) => {
      // Where the response to a commit was lost, this runs again.
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

  /** As it stands now. Throws a ReleaseRefusal where there is none. */
  get(id: string): Promise<{ readonly release: Release; readonly decisions: readonly Decision[] }> {
    return this.#read(async (transaction) => {
      const release = await getReleaseOrThrow(transaction, id);
      return {
        release: withEffectiveState(release, transaction.moment),
        decisions: await listDecisions(transaction, id),
      };
    });
  }

  /** Newest first, but for those that were changed in the store: they are not what was asked for. */
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

  /** Writes down what a person says who has proved who they are. Throws a ReleaseRefusal where it does not count. */
  decide(id: string, request: DecisionRequest): Promise<Release> {
    const { person, decision, note, policy, people } = request;
    return this.#transaction(async (transaction) => {
      const { moment } = transaction;
      const release = await getReleaseOrThrow(transaction, id);
      const reason = findDecisionProblem(release, effectiveState(release, moment), request);
      if (reason !== undefined) throw new ReleaseRefusal(reason);
      const { hash, sealed, progress, entry = null } = release;
      if (request.seal !== undefined && request.seal !== hash)
        throw new ReleaseRefusal(`${id} is not what was shown. Nothing was decided: look at it again.`);
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

  /** Takes back what was asked for, as long as nothing has left. Throws a ReleaseRefusal where something has. */
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

  /** Runs what is looked at when something leaves that the journal does not have. */
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

async function assertConfirmed(confirm: ConfirmRelease, proposal: ReleaseProposal): Promise<void> {
  const isConfirmed = await confirm(proposal).catch((error: Error) => {
    throw new RequestDeclined(`Nobody could say whether to ask for its release: ${error.message}.`);
  });
  if (!isConfirmed) throw new RequestDeclined("The answer was not to ask for its release.");
}

/** The same as `standing`, for the database. */
const effectiveStateSql = (moment: string) =>
  `CASE WHEN state IN ('waiting', 'released') AND valid_until <= ${moment} THEN 'expired' ELSE state END`;

/** Why nobody could ever say yes to what somebody asks; undefined where that can be. */
export function findRequestProblem(
  policy: Policy,
  requirements: readonly ApprovalRequirement[],
  asker: string | undefined,
): string | undefined {
  if (requirements.length === 0) return undefined;
  if (asker === undefined)
    return "It needs the release of somebody else than who asks, and nobody says who that is: set FXDESK_ACTOR to a name of the policy.";
  if (!policy.people.includes(asker))
    return `The policy does not name ${asker} among its people: set FXDESK_ACTOR to one of them.`;
  return canBeApproved(policy, requirements, asker)
    ? undefined
    : `It needs ${describeRequirements(requirements)}, and ${asker} cannot be among them.`;
}
