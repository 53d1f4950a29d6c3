/** The releases of one store. Each method is one transaction, except that a request may wait for a confirmation. */
import { randomBytes } from "node:crypto";
import type { ConfirmRelease } from "../call/call-options";
import { writeChain } from "../journal/chain-transaction";
import { Checkpoints } from "../journal/checkpoints";
import type { Entry } from "../journal/entry";
import { getEntry, readUse, searchEntries } from "../journal/entry-rows";
import { storeEvents } from "../journal/hash-chain";
import { mayLackCalls, readRestoreState } from "../journal/restore-state";
import type { MomentAccess } from "../store/database";
import type { StoreSession } from "../store/session";
import type { Declaration } from "../spec/operation";
import { type DecisionFiles, policyForRelease, recordDecision } from "./decide";
import type { Origin } from "../people/attempts";
import { assertSamePerson, authenticate, type Credentials } from "../people/authenticate";
import { loadPeople, type People } from "../people/people-file";
import { type ApprovalRequirement, describeRequirements } from "./policy-evaluation";
import { describeTerms } from "./describe-terms";
import { canBeShown, changedInStore } from "./request-signature";
import {
  type Decision,
  type DecisionInput,
  type Release,
  ReleaseRefusal,
  withEffectiveState,
} from "./release";
import {
  changeReleases,
  findRelease,
  findReleaseByKey,
  getRelease,
  insertRelease,
  type IsVisible,
  listDecisions,
  listOpenReleases,
  listReleases,
  listReleasesOfRequest,
  readClock,
  readReleases,
  type ReleaseFilter,
  type ReleaseList,
  transitionRelease,
} from "./repository";
import { describeStateConflict, effectiveState, isFinalState, isUnsentState } from "./states";
import { requestHashOf, type SealedRequest } from "./terms";

/** Returns the signature of a request under its ID. */
export type SignRequest = (id: string, sealed: SealedRequest) => string;

export interface ReleaseRequest {
  readonly sealed: SealedRequest;
  /** The caller's input, by which a repeated request is recognised. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
  /** Field whose value no other call may use. A repetition is the same call, even after it was sent and whatever its key is. */
  readonly singleUse?: { readonly field: string; readonly value: string } | undefined;
  readonly requirements: readonly ApprovalRequirement[];
  /** Declarations of the service, which describe the terms for a confirmation. */
  readonly operations?: readonly Declaration[];
  /** Omitted where no policy applies. */
  readonly sign?: SignRequest | undefined;
  /** Adds what people must know before they decide. Called for a new request only. Throws if it should not be requested. */
  readonly complete?: () => Promise<SealedRequest>;
}

/** The requester declined to request the release. */
export class RequestDeclined extends ReleaseRefusal {}

type Tail<Args extends readonly unknown[]> = Args extends [unknown, ...infer Rest] ? Rest : never;

export class ReleaseService {
  constructor(private readonly store: StoreSession) {}

  /**
   * Requests release once, or returns the earlier release of the same request, in its effective state. Throws a ReleaseRefusal if the key belongs to
   * another request, and RequestDeclined if `confirm` declines.
   */
  async request(request: ReleaseRequest, confirm?: ConfirmRelease): Promise<Release> {
    const { given, key, requirements, sign, complete } = request;
    // These may take minutes, so they hold no transaction; the duplicate is searched for again below.
    const earlier = complete || confirm ? await this.find(request) : undefined;
    if (earlier) return earlier;
    const sealed = complete ? await complete() : request.sealed;
    const requestHash = requestHashOf(sealed, given);
    const id = createReleaseId();
    const signature = sign?.(id, sealed);
    if (confirm && requirements.length > 0)
      await assertConfirmed(confirm, { ...request, sealed }, requestHash);
    return changeReleases(this.store, async (access) => {
      // Found by its ID if the COMMIT response was lost and the transaction runs again.
      const existing = (await findRelease(access, id)) ?? (await findDuplicate(access, request, requestHash));
      if (existing) return withEffectiveState(existing, access.moment);
      const state = requirements.length > 0 ? "waiting" : "released";
      return insertRelease(access, { id, state, key: key ?? id, requestHash, sealed, signature });
    });
  }

  /** Returns the earlier release of the same request, or undefined. Throws a ReleaseRefusal if the key belongs to another request. */
  find(request: ReleaseRequest): Promise<Release | undefined> {
    return readReleases(this.store, async (access) => {
      const found = await findDuplicate(access, request, requestHashOf(request.sealed, request.given));
      return found && withEffectiveState(found, access.moment);
    });
  }

  /** Returns a release in its effective state, with its decisions. Throws ReleaseNotFound, also if it is not visible. */
  get(
    id: string,
    isVisible?: IsVisible,
  ): Promise<{ readonly release: Release; readonly decisions: readonly Decision[] }> {
    return readReleases(this.store, async (access) => ({
      release: withEffectiveState(await getRelease(access, id, isVisible), access.moment),
      decisions: await listDecisions(access, id),
    }));
  }

  /** Returns the journal entry of the sent request of a release; undefined if none was sent. */
  findEntry(release: Release): Promise<Entry | undefined> {
    return readReleases(this.store, (access) => entryOf(access, release));
  }

  /** Returns a page of the journal entries that a query selects, newest first. */
  searchEntries(...given: Tail<Parameters<typeof searchEntries>>): Promise<Entry[]> {
    return this.store.use((store) => searchEntries(store, ...given));
  }

  /** True if the store was restored and may lack calls of an environment that were sent. */
  isRestored(environment: string): Promise<boolean> {
    return this.store.use(async (store) => {
      const noted = new Checkpoints(this.store.settings).list(store.id);
      return mayLackCalls(await readRestoreState(store, environment, noted));
    });
  }

  /** Lists releases, newest first. Omits releases that were changed in the store. */
  list(filter: ReleaseFilter): Promise<ReleaseList> {
    return readReleases(this.store, (access) => listReleases(access, filter));
  }

  /**
   * Records the decision of the person whose secret is given. Throws a PeopleRefusal if the secret is wrong, a
   * ReleaseRefusal if the decision is not allowed, and a TypeError if a file is invalid.
   */
  async decide(
    id: string,
    files: DecisionFiles,
    { secret, code, passkey, ...input }: DecisionInput & Pick<Credentials, "passkey">,
    origin: Origin,
  ): Promise<Release> {
    const { person } = input;
    const { people: confirmed, factors } = await authenticate(
      files.people,
      { person, secret, code, passkey },
      origin,
    );
    const change = async (access: MomentAccess): Promise<Release> => {
      // Both files may have changed since the secret was checked.
      const people = await loadPeople(files.people);
      assertSamePerson(person, confirmed, people);
      const release = await getRelease(access, id);
      assertShowable(release, people);
      const policy = await policyForRelease(release, files, people);
      return recordDecision(access, id, { ...input, policy, people, factors });
    };
    return input.decision === "refuse" ? this.#withdraw(id, change) : changeReleases(this.store, change);
  }

  /**
   * Returns a release for a person who decides. Throws a ReleaseRefusal if it waits and is not the request that its requester
   * signed.
   */
  async getForDecision(id: string, people: People) {
    const found = await this.get(id);
    assertShowable(found.release, people);
    return found;
  }

  /** Cancels a pending release. Throws a ReleaseRefusal once the request was sent, ReleaseNotFound if it is not visible. */
  cancel(id: string, by: string | undefined, isVisible?: IsVisible): Promise<Release> {
    return this.end(id, by === undefined ? "Cancelled." : `Cancelled by ${by}.`, isVisible);
  }

  /** Cancels a pending release with a remark. Throws as `cancel` does. */
  end(id: string, remark: string, isVisible?: IsVisible): Promise<Release> {
    return this.#withdraw(id, async (access) => {
      const release = await getRelease(access, id, isVisible);
      const state = effectiveState(release, access.moment);
      if (!isUnsentState(state))
        throw new ReleaseRefusal(
          describeStateConflict(id, state, "cancelled"),
          await entryOf(access, release),
        );
      const progress = { ...release.progress, remark };
      return transitionRelease(access, release, "cancelled", { progress, nextAt: 0 });
    });
  }

  /** Ends a release, and records that in the journal: rows that are put back do not undo it. */
  async #withdraw(id: string, change: (access: MomentAccess) => Promise<Release>): Promise<Release> {
    const {
      release: {
        sealed: { environment },
      },
    } = await this.get(id);
    return this.store.use(async (store) => {
      const { results, head } = await writeChain(store, environment, [
        {
          isExclusive: true,
          async apply(chain) {
            const { run, sealer } = chain;
            const release = await change({ run, sealer, moment: await readClock(run, chain.moment) });
            chain.append(storeEvents, "withdrawn", { release: id });
            return release;
          },
        },
      ]);
      await new Checkpoints(this.store.settings).note(store.id, environment, head);
      return results[0];
    });
  }

  close(): Promise<void> {
    return this.store.close();
  }
}

function assertShowable(release: Release, people: People): void {
  if (!canBeShown(people)(release)) throw new ReleaseRefusal(changedInStore(release.id));
}

/** Digits and capital letters without easily confused ones. */
const idAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns an ID, for example `R-7K3M9QW2X5AB`, with 60 random bits. */
function createReleaseId(): string {
  return `R-${Array.from(randomBytes(12), (byte) => idAlphabet[byte & 31]).join("")}`;
}

const entryOf = async (access: MomentAccess, { entry }: Release): Promise<Entry | undefined> =>
  entry === undefined ? undefined : getEntry(access, entry);

/** Returns the earlier release of the same request, or undefined. Throws if its key or single-use value belongs to another one. */
async function findDuplicate(
  access: MomentAccess,
  request: ReleaseRequest,
  requestHash: string,
): Promise<Release | undefined> {
  const { sealed, key, singleUse, requirements } = request;
  const isReusable = (release: Release): boolean => {
    const { kind, validUntil } = release.sealed;
    if (kind === "order") return true;
    // Without a key, the same call is another one once the validity of the sent one is over.
    if (release.state === "sent")
      return key !== undefined || singleUse !== undefined || validUntil > access.moment;
    return !isFinalState(effectiveState(release, access.moment));
  };
  if (key !== undefined) {
    const latest = await findReleaseByKey(access, sealed, key);
    if (latest && latest.requestHash !== requestHash)
      throw await belongsToAnother(
        access,
        request,
        latest,
        `The key ${JSON.stringify(key)}`,
        "If you send this request under another key, both requests may be carried out.",
      );
    if (latest && isReusable(latest)) return latest;
  }
  // Two orders with the same terms and without keys are two orders, and so are two calls with different keys.
  if (sealed.kind === "order" || (key !== undefined && !singleUse)) return undefined;
  // A call that needs no release and was sent is repeated as another call.
  const states = [
    "waiting",
    "released",
    ...(singleUse || requirements.length > 0 ? ["sent" as const] : []),
  ] as const;
  const same = (await listReleasesOfRequest(access, requestHash, states)).find(isReusable);
  if (!same && singleUse) await assertUnused(access, request, singleUse);
  return same;
}

/** Throws if the single-use value of a request belongs to another open request, or to a call that was or may have been made. */
async function assertUnused(
  access: MomentAccess,
  request: ReleaseRequest,
  { field, value }: NonNullable<ReleaseRequest["singleUse"]>,
): Promise<void> {
  const name = `The ${field} ${JSON.stringify(value)}`;
  const open = (await listOpenReleases(access, request.sealed)).find(
    ({ sealed }) => sealed.kind === "call" && String(sealed.terms.values[field]) === value,
  );
  if (open) throw await belongsToAnother(access, request, open, name);
  const used = await readUse(access, { ...request.sealed, singleUse: value });
  if (!used) return;
  const isOwn = used.intent?.actor === request.sealed.requester;
  throw new ReleaseRefusal(
    `${name} was already used by a call${isOwn ? "" : " of another requester"}, so no release was requested.`,
    isOwn ? used : undefined,
  );
}

/** Returns the refusal of a request whose key or single-use value belongs to another one. Requesters see only their own requests. */
async function belongsToAnother(
  access: MomentAccess,
  { sealed }: ReleaseRequest,
  other: Release,
  name: string,
  advice = "",
): Promise<ReleaseRefusal> {
  const isOwn = other.sealed.requester === sealed.requester;
  const state = effectiveState(other, access.moment);
  return new ReleaseRefusal(
    `${name} belongs to another request${isOwn ? `, ${other.id}` : ""}, which is ${state}. ${advice}`.trim(),
    isOwn ? ((await entryOf(access, other)) ?? withEffectiveState(other, access.moment)) : undefined,
  );
}

async function assertConfirmed(
  confirm: ConfirmRelease,
  { sealed, requirements, operations = [] }: ReleaseRequest,
  requestHash: string,
): Promise<void> {
  const { operation, environment, client, terms, validUntil } = sealed;
  const isConfirmed = await confirm({
    operation,
    environment,
    client,
    terms: { ...terms },
    description: describeTerms(sealed, operations),
    validUntil,
    needs: describeRequirements(requirements),
    requestHash,
  }).catch((error: Error) => {
    throw new RequestDeclined(
      `The request was not confirmed, so no release was requested: ${error.message}.`,
    );
  });
  if (!isConfirmed) throw new RequestDeclined("The request was not confirmed, so no release was requested.");
}
