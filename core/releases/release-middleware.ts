/** Middleware that holds a request until it is released, and then sends exactly the released request. */
import { randomUUID } from "node:crypto";
import type { ClientContext } from "../call/client-context";
import { type CallRequest, type Handler, withBeforeWrite } from "../call/middleware";
import { actorOf } from "../call/prepare";
import { defaultKeyOf, earlierCallWarning, type PreparedCall } from "../call/prepared-call";
import type { ServiceResponse } from "../call/response";
import { committedAmountsOf } from "../spec/committed-amounts";
import { Conflict, FxdeskError, ReleaseNeeded, Unavailable } from "../spec/errors";
import type { SendGuard } from "../store/database";
import { customerFromValues } from "../spec/service";
import { environmentOf } from "../journal/outcome-lookup";
import { StoreSession } from "../store/session";
import { redactLocation } from "../store/settings";
import { ReleaseService, RequestDeclined } from "./release-service";
import { ReleaseRefusal, type Release } from "./release";
import { effectiveState } from "./states";
import { findHoursViolation, describeRequirements } from "./policy-evaluation";
import { type Authority, createSendGuard, releaseRefusedError, requirementsOf } from "./release-guard";
import { type People, loadPeople } from "../people/people-file";
import { defaultMoneyPolicy, loadPolicy } from "./policy";
import { parseCorrelation, type CallTerms, type SealedRequest, type SealedCall } from "./terms";

/** A call that may be sent, with the guard that checks it again when it is sent. */
interface AuthorizedCall {
  readonly call: PreparedCall;
  readonly guard?: SendGuard;
}

/** Facts of a request that select its policy. */
interface RequestOrigin {
  readonly release?: SealedRequest["release"] | undefined;
  readonly underPolicy?: SealedRequest["underPolicy"];
  readonly requester?: string | undefined;
}

/** Time for which a request waits for release. */
const defaultValidityMs = 24 * 3_600_000;

/** Returns the call as it was sealed, with the options of the current caller. */
function restoreSealedCall({ id, key, sealed }: Release, call: PreparedCall): PreparedCall {
  const { address, target, headers, body, values, given } = sealed.terms as CallTerms;
  const isKeyed =
    call.options.key !== undefined || defaultKeyOf({ operation: call.operation, values }) !== undefined;
  const options = isKeyed ? call.options : { ...call.options, key: key === id ? id : key };
  return Object.freeze({ operation: call.operation, address, target, headers, body, values, given, options });
}

/** Loads the people file. Returns undefined if none is set or this process cannot read it. */
export async function loadReadablePeople(path: string | undefined): Promise<People | undefined> {
  if (path === undefined) return undefined;
  // A process that only requests need not read the file; checks that need it report its absence.
  return loadPeople(path).catch(() => undefined);
}

export class ReleaseMiddleware {
  #service: ReleaseService | undefined;

  constructor(private readonly context: ClientContext) {}

  get service(): ReleaseService {
    return (this.#service ??= new ReleaseService(new StoreSession(this.context.store)));
  }

  /** Loads policy and people for each call, so that changes apply at once. Throws an FxdeskError if that fails. */
  async loadAuthority(
    operation: string,
    { release, underPolicy, requester }: RequestOrigin,
  ): Promise<Authority> {
    const { policy: path, people: peoplePath } = this.context.settings;
    const reload = () => this.loadAuthority(operation, { release, requester });
    const people = await loadReadablePeople(peoplePath);
    if (path !== undefined) {
      const policy = await loadPolicy(path, this.context.service).catch((error: Error) => {
        throw releaseRefusedError(operation, error.message);
      });
      return { policy, people, reload };
    }
    if (underPolicy)
      throw releaseRefusedError(
        operation,
        "The release was requested under a policy, but FXDESK_POLICY is not set for this process.",
      );
    if (release === undefined) return { policy: undefined, people };
    if (!people)
      throw releaseRefusedError(
        operation,
        "The call needs release by a person, but no people are configured: set FXDESK_POLICY and FXDESK_PEOPLE.",
      );
    return { policy: defaultMoneyPolicy(people, requester), people, reload };
  }

  /**
   * Middleware: passes on a call that needs no release, or has it. A released call is sent exactly as it was sealed, and is
   * checked again when it is sent: a money call by the journal, in the transaction that records it as sent, another call by its
   * own transaction.
   */
  async requireRelease(request: CallRequest, next: Handler): Promise<ServiceResponse> {
    const { call, guard } = await this.#authorize(request.call);
    if (!guard || call.operation.effect === "money") return next({ ...request, call, guard });
    // One use of the release, also if the call is sent again.
    const use = randomUUID();
    const markSent = () =>
      this.service.markSent(guard, use).catch((error: Error) => {
        throw this.toError(call.operation.name, error);
      });
    return next(withBeforeWrite({ ...request, call }, markSent));
  }

  /** Throws ReleaseNeeded if the call waits for release, another FxdeskError if it must not be sent. */
  async #authorize(call: PreparedCall): Promise<AuthorizedCall> {
    const { name, effect } = call.operation;
    const authority = await this.loadAuthority(name, {
      release: effect === "money" ? call.options.release : undefined,
      requester: actorOf(this.context, call.options),
    });
    const { policy } = authority;
    if (!policy) return { call };
    const sealed = this.#sealCall(call);
    const requirements = requirementsOf(policy, sealed);
    if (requirements.length === 0 && !(policy.limits && effect === "money")) {
      const hoursViolation = findHoursViolation(policy, Date.now());
      if (hoursViolation !== undefined) throw releaseRefusedError(name, hoursViolation);
      return { call };
    }
    const { key, confirmRelease } = call.options;
    const isSingleUse = defaultKeyOf(call) !== undefined;
    const release = await this.service
      .request({ sealed, given: call.given, key, isSingleUse, requirements }, confirmRelease)
      .catch((error: Error) => {
        throw this.toError(name, error, effect === "money" ? earlierCallWarning(call) : "");
      });
    if (effectiveState(release, Date.now()) === "waiting")
      throw releaseNeededError(release, describeRequirements(requirements));
    const guard = createSendGuard(release, authority, "sent", findUseProblem);
    return { call: restoreSealedCall(release, call), guard };
  }

  async close(): Promise<void> {
    await this.#service?.close();
  }

  /** Converts errors of the release service to FxdeskError. `warning` is added if the store failed. */
  toError(operation: string, error: Error, warning = ""): FxdeskError {
    if (error instanceof FxdeskError) return error;
    if (error instanceof RequestDeclined) return releaseRefusedError(operation, error.message);
    if (error instanceof ReleaseRefusal)
      return new Conflict(`${operation}: ${error.message} Nothing was sent.`, {
        operation,
        code: "conflict",
        outcome: "not-sent",
      });
    const cause = this.context.secrets.redactError(error);
    return new Unavailable(
      `${operation}: Nothing was sent. The release could not be checked, because the store ` +
        `${redactLocation(this.context.store.location)} failed (${cause.message}). ${warning}Check it with \`fxdesk store check\`.`,
      { operation, code: "unavailable", outcome: "not-sent", retryable: true, cause },
    );
  }

  #sealCall(call: PreparedCall): SealedCall {
    const { operation, values, given, address, target, headers, body, options } = call;
    const { service } = this.context;
    const requester = actorOf(this.context, options);
    const amounts = committedAmountsOf(operation.commits, values);
    return {
      kind: "call",
      effect: operation.effect === "money" ? "money" : "change",
      operation: operation.name,
      environment: environmentOf(this.context, operation)!,
      client: customerFromValues(service, values),
      ...(requester !== undefined && { requester }),
      surface: options.surface ?? "client",
      validUntil: Date.now() + defaultValidityMs,
      ...(options.release && { release: options.release }),
      ...(this.context.settings.policy !== undefined && { underPolicy: true }),
      ...parseCorrelation(operation.name, options.correlation),
      terms: {
        method: operation.method,
        address,
        target,
        headers,
        ...(body !== undefined && { body }),
        values,
        given,
      },
      ...(amounts && { amounts }),
    };
  }
}

function releaseNeededError({ id, sealed }: Release, words: string): FxdeskError {
  const { operation, validUntil } = sealed;
  return new ReleaseNeeded(
    `${operation}: The request needs ${words}. It waits as ${id} until ${new Date(validUntil).toISOString()}. Nothing was sent. ` +
      `Once another person has released it (\`fxdesk releases release ${id} --as <name>\`), repeat the call to send it.`,
    { operation, code: "release_needed", outcome: "not-sent", release: id },
  );
}

/** Allows one use of a release. A call that was certainly not sent may be retried under its journal entry. */
const findUseProblem = ({ id, state, entry: used }: Release, entry: string): string | undefined => {
  if (state === "released" || (state === "sent" && used === entry)) return undefined;
  return state === "sent" ? `${id} was already used; a release can be used only once.` : `${id} is ${state}.`;
};
