/** Middleware that holds a request until it is released, and then sends exactly the released request. */
import type { ClientContext } from "../call/client-context";
import type { CallRequest, Handler } from "../call/middleware";
import type { CallOptions } from "../call/call-options";
import { prepareCall } from "../call/prepare";
import { defaultKeyOf, earlierCallWarning, type PreparedCall } from "../call/prepared-call";
import type { ServiceResponse } from "../call/response";
import { outcomeOfEntry } from "../journal/call-outcome";
import type { Entry } from "../journal/entry";
import type { CallOutcome } from "../spec/call-outcome";
import { Conflict, FxdeskError, ReleaseNeeded, Unavailable } from "../spec/errors";
import type { SendGuard } from "../store/database";
import { StoreSession } from "../store/session";
import { redactLocation } from "../store/settings";
import { ReleaseService, RequestDeclined, type SignRequest } from "./release-service";
import { ReleaseRefusal, type Release } from "./release";
import { commitsNoMoney } from "./committed-money";
import { findFirstPayments } from "./first-payments";
import { type ApprovalRequirement, describeRequirements, findHoursViolation } from "./policy-evaluation";
import {
  type Authority,
  createSendGuard,
  releaseRefusedError,
  requirementsOf,
  unverifiable,
} from "./release-guard";
import { type People, loadPeople } from "../people/people-file";
import { findRequesterProblem, Requester } from "../people/requester";
import { withRequesterLimits } from "./limits";
import { isSignedBy, signRequest } from "./request-signature";
import type { IsVisible } from "./repository";
import { defaultMoneyPolicy, loadPolicy, missingPolicyProblem } from "./policy";
import { proveQuote, withProvenTrade } from "./quote-proof";
import { asReleased, sealCall } from "./sealed-call";
import { findRepetition, type Repetition } from "./repeated-call";
import { outcomeOfRelease, releasePageOf } from "./report";
import { requestHashOf, type SealedCall, type SealedRequest } from "./terms";

/** A call that may be sent, with the guard that checks it again when it is sent. */
interface AuthorizedCall {
  readonly call: PreparedCall;
  readonly guard?: SendGuard;
  /** Ends the release if its guard found that it repeats a call that was sent meanwhile. */
  readonly endIfRepeated?: () => Promise<void>;
}

/** Facts of a request that select its policy. */
interface RequestOrigin {
  readonly release?: SealedRequest["release"] | undefined;
  readonly underPolicy?: SealedRequest["underPolicy"];
  readonly requester?: string | undefined;
}

/** Loads the people file. Returns undefined if none is set or this process cannot read it. Throws a TypeError if it is invalid. */
export async function loadReadablePeople(path: string | undefined): Promise<People | undefined> {
  if (path === undefined) return undefined;
  return loadPeople(path).catch((error: Error) => {
    // A process that only requests need not read the file; checks that need it report its absence.
    if (error.cause !== undefined) return undefined;
    throw error;
  });
}

export class ReleaseMiddleware {
  #service: ReleaseService | undefined;

  /** `onWaiting` is called when a call waits for release. */
  constructor(
    private readonly context: ClientContext,
    private readonly onWaiting: () => void,
    private readonly findEarlierResponse: (call: PreparedCall) => Promise<ServiceResponse | undefined>,
  ) {}

  get service(): ReleaseService {
    return (this.#service ??= new ReleaseService(new StoreSession(this.context.store)));
  }

  /** Returns the authenticated requester. Throws an FxdeskError if there is none, or if another name is given as text. */
  requesterOf(operation: string, options: CallOptions): Requester {
    const { settings, requester: own } = this.context;
    const requester = options.requester ?? own;
    const refuse = (reason: string) => releaseRefusedError(operation, reason);
    if (!(requester instanceof Requester))
      throw refuse(
        "The requester is not authenticated. Set FXDESK_SERVICE_KEY (serviceKey) to a key of `fxdesk keys issue`.",
      );
    const actor = options.actor ?? settings.actor;
    if (actor !== undefined && actor !== requester.name)
      throw refuse(`FXDESK_ACTOR (actor) is ${actor}, but the authenticated requester is ${requester.name}.`);
    return requester;
  }

  /** Returns the requester, confirmed by the people file if this process can read it. Throws an FxdeskError if it does not confirm them. */
  async #confirmRequester(operation: string, options: CallOptions) {
    const requester = this.requesterOf(operation, options);
    const people = await loadReadablePeople(this.context.settings.people);
    const problem = people && findRequesterProblem(people, requester);
    if (problem !== undefined) throw releaseRefusedError(operation, problem);
    return { requester, people };
  }

  /** Returns which releases the requester of a call has requested. Throws an FxdeskError if the requester is not authenticated. */
  async ownReleases(operation: string, options: CallOptions): Promise<IsVisible> {
    const { requester, people } = await this.#confirmRequester(operation, options);
    return (release) => isSignedBy(requester, people, release);
  }

  /** Returns which releases a caller may see: undefined for all. */
  async visibleTo(operation: string, options: CallOptions): Promise<IsVisible | undefined> {
    const own = await this.#seesOnlyOwn(operation, options);
    return own && ((release) => isSignedBy(own.requester, own.people, release));
  }

  /** Returns which journal entries a caller may see, by the same rules: undefined for all. */
  async entriesVisibleTo(
    operation: string,
    options: CallOptions,
  ): Promise<((entry: Entry) => boolean) | undefined> {
    const own = await this.#seesOnlyOwn(operation, options);
    return own && (({ intent }) => intent?.actor === own.requester.name);
  }

  /** Returns a requester who sees only their own requests. Under a policy, and for callers of their own, these are all but `seeAll`. */
  async #seesOnlyOwn(operation: string, options: CallOptions) {
    const { policy: path } = this.context.settings;
    if (path === undefined && options.requester === undefined) return undefined;
    const { requester, people } = await this.#confirmRequester(operation, options);
    if (path !== undefined && people) {
      const { policy } = await this.loadAuthority(operation, { requester: requester.name });
      if (policy?.seeAll.includes(requester.name)) return undefined;
    }
    return { requester, people };
  }

  /** Loads policy and people for each call, so that changes apply at once. Throws an FxdeskError if that fails. */
  async loadAuthority(
    operation: string,
    { release, underPolicy, requester }: RequestOrigin,
  ): Promise<Authority> {
    const { policy: path, people: peoplePath } = this.context.settings;
    const reload = () => this.loadAuthority(operation, { release, underPolicy, requester });
    const refuse = (error: Error) => {
      throw releaseRefusedError(operation, error.message);
    };
    const people = await loadReadablePeople(peoplePath).catch(refuse);
    if (path !== undefined) {
      const policy = await loadPolicy(path, this.context.service, people).catch(refuse);
      return { policy: withRequesterLimits(policy, people, requester), people, reload };
    }
    const problem = missingPolicyProblem(people);
    if (problem !== undefined) throw releaseRefusedError(operation, problem);
    if (underPolicy)
      throw releaseRefusedError(
        operation,
        "The release was requested under a policy, but FXDESK_POLICY is not set for this process.",
      );
    if (release === undefined) return { policy: undefined, people, reload };
    if (!people)
      throw releaseRefusedError(
        operation,
        "The call needs release by a person, but no people are configured: set FXDESK_POLICY and FXDESK_PEOPLE.",
      );
    const policy = defaultMoneyPolicy(people, requester);
    return { policy: withRequesterLimits(policy, people, requester), people, reload };
  }

  /**
   * Middleware: passes on a call that needs no release, or has it. A released call is sent exactly as it was released, and its
   * guard checks everything again in the transaction in which the journal records it as sent. A call that must not be sent now may
   * have been sent before: then this returns its outcome.
   */
  async requireRelease(request: CallRequest, next: Handler): Promise<ServiceResponse> {
    let authorized: AuthorizedCall;
    try {
      authorized = await this.#authorize(request);
    } catch (error) {
      const earlier = (await this.#isProved(request)) && (await this.findEarlierResponse(request.call));
      if (earlier) return earlier;
      throw error;
    }
    const { endIfRepeated, ...sent } = authorized;
    try {
      return await next({ ...request, ...sent });
    } catch (error) {
      // A release that could not be ended stays released, and the next attempt to send it finds the same.
      await endIfRepeated?.().catch(() => undefined);
      throw error;
    }
  }

  /** True if the requester of a call is proved. Only then may they learn the outcome of an earlier call. */
  async #isProved({ call, release }: CallRequest): Promise<boolean> {
    if (release !== undefined) return true;
    const proved = await this.#confirmRequester(call.operation.name, call.options).catch(() => undefined);
    return proved !== undefined && (proved.people !== undefined || proved.requester.keyHash === undefined);
  }

  /** Throws ReleaseNeeded if the call waits for release, another FxdeskError if it must not be sent. */
  async #authorize({ call, release: id }: CallRequest): Promise<AuthorizedCall> {
    const { operation, options } = call;
    const { name, effect } = operation;
    const toError = (error: Error) =>
      this.toError(name, error, effect === "money" ? earlierCallWarning(call) : "");
    const executed =
      id === undefined
        ? undefined
        : (
            await this.service.get(id).catch((error: Error) => {
              throw toError(error);
            })
          ).release;
    const authority = await this.loadAuthority(name, {
      release: effect === "money" ? options.release : undefined,
      requester: executed ? executed.sealed.requester : (options.requester ?? this.context.requester)?.name,
    });
    const { policy, people } = authority;
    if (!policy && id !== undefined)
      throw releaseRefusedError(name, `${id} was released under a policy, but this process has none.`);
    if (!policy && (options.requester ?? this.context.requester)?.keyHash === undefined) return { call };
    const requester = executed ? undefined : this.requesterOf(name, options);
    const requesterName = executed ? executed.sealed.requester : requester!.name;
    const own = sealCall(this.context, call, requesterName);
    const sealed = executed
      ? withProvenTrade(call, own, executed.sealed, people)
      : proveQuote(call, own, people);
    const requirements = requirementsOf(authority, sealed, requester);
    if (id !== undefined && requirements.length === 0)
      throw releaseRefusedError(
        name,
        "The policy requires no release now: its requester sends it by repeating it.",
      );
    if (requirements.length === 0 && requester?.keyHash !== undefined && !people)
      throw releaseRefusedError(name, unverifiable);
    if (requirements.length === 0 && (!policy?.limits || commitsNoMoney(sealed))) {
      const hoursViolation = policy && findHoursViolation(policy, Date.now());
      if (hoursViolation !== undefined) throw releaseRefusedError(name, hoursViolation);
      const guard = async () => {
        // Policy and people may change while the call waits to be sent.
        const current = (await authority.reload?.()) ?? authority;
        if (requirementsOf(current, sealed, requester).length > 0)
          throw releaseRefusedError(name, "The policy was changed and now requires a release.");
        const outside = current.policy && findHoursViolation(current.policy, Date.now());
        if (outside !== undefined) throw releaseRefusedError(name, outside);
        return { policy: current.policy?.hash };
      };
      // A guard makes a change use the journal, which only records released changes.
      return effect === "money" ? { call, guard } : { call };
    }
    const release =
      executed ??
      (await this.#request(call, sealed, requirements, signerFor(name, requester!, people)).catch(
        (error: Error) => {
          throw toError(error);
        },
      ));
    if (requester && !isSignedBy(requester, people, release))
      throw releaseRefusedError(
        name,
        `${release.id}, the same request, was signed with another key of ${requester.name}.`,
      );
    if (release.state === "waiting") {
      this.onWaiting();
      throw releaseNeededError(
        release,
        describeRequirements(requirements),
        this.context.settings.releasesPage,
      );
    }
    const released = this.#asReleased(release, call, sealed, people);
    const sending = { id: release.id, sealed: released.sealed };
    let repetition: Repetition | undefined;
    return {
      call: released.call,
      guard: createSendGuard(sending, authority, "sent", findUseProblem, async (transaction, current) => {
        repetition = await findRepetition(transaction, current, this.context.service);
        return repetition;
      }),
      endIfRepeated: async () => {
        if (repetition?.isCertain) await this.service.end(release.id, repetition.reason);
      },
    };
  }

  #request(
    call: PreparedCall,
    sealed: SealedCall,
    requirements: readonly ApprovalRequirement[],
    sign: SignRequest,
  ): Promise<Release> {
    const { key, confirmRelease } = call.options;
    const value = defaultKeyOf(call);
    const singleUse = value === undefined ? undefined : { field: call.operation.singleUseField!, value };
    const { given } = sealed.terms;
    const { operations } = this.context.service;
    const complete = async (): Promise<SealedCall> => {
      const firstPayments = await findFirstPayments(this.service, operations, sealed);
      return firstPayments.length > 0 ? { ...sealed, firstPayments } : sealed;
    };
    return this.service.request(
      { sealed, given, key, singleUse, requirements, operations, sign, complete },
      confirmRelease,
    );
  }

  /** Returns a call as it was released. Throws an FxdeskError if the released request does not follow from it. */
  #asReleased(release: Release, call: PreparedCall, sealed: SealedCall, people: People | undefined) {
    const found = asReleased(release, call, withProvenTrade(call, sealed, release.sealed, people));
    if (found) return found;
    const { id, sealed: released } = release;
    const { operation, options } = call;
    const { given } = sealed.terms;
    if (
      released.kind === "call" &&
      requestHashOf(released, released.terms.given) === requestHashOf(sealed, given)
    ) {
      // The same fields in another order are encoded differently.
      const again = prepareCall(operation, released.terms.given, this.context, options);
      const own = sealCall(this.context, again, sealed.requester);
      const inOrder = asReleased(release, again, withProvenTrade(again, own, released, people));
      if (inOrder) return inOrder;
    }
    throw new Conflict(
      `${operation.name}: This call differs from the request of ${id}, which is ${release.state}. Nothing was sent now. ` +
        "Repeat it with the settings of that request, or cancel that request first.",
      { operation: operation.name, code: "conflict", outcome: "not-sent" },
    );
  }

  /** Returns what became of a sent call, or the state of a request that was not sent. */
  outcomeOf(found: Entry | Release): CallOutcome {
    const { service } = this.context;
    return "sealed" in found ? outcomeOfRelease(found) : outcomeOfEntry(service, found);
  }

  async close(): Promise<void> {
    await this.#service?.close();
  }

  /** Converts errors of the release service to FxdeskError. `warning` is added if the store failed. */
  toError(operation: string, error: Error, warning = ""): FxdeskError {
    if (error instanceof FxdeskError) return error;
    if (error instanceof RequestDeclined) return releaseRefusedError(operation, error.message);
    if (error instanceof ReleaseRefusal) {
      const earlier = error.earlier && this.outcomeOf(error.earlier);
      const words = [error.message, earlier?.description, "Nothing was sent now."].filter(Boolean).join(" ");
      return new Conflict(`${operation}: ${words}`, {
        operation,
        code: "conflict",
        outcome: "not-sent",
        ...(earlier && { earlier }),
        ...(earlier?.journal_entry && { journal: { entry: earlier.journal_entry, replayed: false } }),
      });
    }
    const cause = this.context.secrets.redactError(error);
    return new Unavailable(
      `${operation}: Nothing was sent. The release could not be checked, because the store ` +
        `${redactLocation(this.context.store.location)} failed (${cause.message}). ${warning}Check it with \`fxdesk store check\`.`,
      { operation, code: "unavailable", outcome: "not-sent", retryable: true, cause },
    );
  }
}

/** Returns the signer of requests. It throws an FxdeskError if this process cannot sign for the requester. */
export const signerFor =
  (operation: string, requester: Requester, people: People | undefined): SignRequest =>
  (id, sealed) => {
    const signature = signRequest(requester, people, { id, sealed });
    if (signature !== undefined) return signature;
    throw releaseRefusedError(
      operation,
      "The request cannot be signed. Set FXDESK_SERVICE_KEY, or FXDESK_PEOPLE to a file that this process can read.",
    );
  };

function releaseNeededError(
  { id, sealed }: Release,
  words: string,
  releasesPage: string | undefined,
): FxdeskError {
  const { operation, validUntil } = sealed;
  const page = releasePageOf(id, releasesPage);
  return new ReleaseNeeded(
    `${operation}: The request needs ${words}. It waits as ${id} until ${new Date(validUntil).toISOString()}. Nothing was sent. ` +
      `Another person can release it (${page ?? `\`fxdesk releases release ${id} --as <name>\``}); it is then sent once. Repeat the call for its outcome.`,
    { operation, code: "release_needed", outcome: "not-sent", release: id, releasesPage: page },
  );
}

/** Allows one use of a release. A call that was certainly not sent may be retried under its journal entry. */
const findUseProblem = ({ id, state, entry: used }: Release, entry: string): string | undefined => {
  if (state === "released" || (state === "sent" && used === entry)) return undefined;
  return state === "sent" ? `${id} was already used; a release can be used only once.` : `${id} is ${state}.`;
};
