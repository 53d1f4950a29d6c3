/** The link of the pipeline that holds what needs a person's yes, until it has one: then what was looked at is what leaves. */
import { randomUUID } from "node:crypto";
import type { Connection } from "../client/connection";
import { actorOf } from "../client/prepare";
import { type PreparedCall, usualKey } from "../client/prepared-call";
import { amountsIn } from "../declaration/committed-amounts";
import { Conflict, FxdeskError, ReleaseNeeded, Unavailable } from "../errors";
import type { Guard } from "../journal/entry";
import { customerIn } from "../declaration/service";
import { environmentOf } from "../journal/service-inquiry";
import { KeptStore } from "../journal/kept-store";
import { shownPlace } from "../store/settings";
import { correlationFrom } from "./correlation";
import { NotAsked, ReleaseDesk, ReleaseRefusal, standing, unaskable, type Wish } from "./desk";
import { type Authority, guardOf, refused } from "./release-check";
import { closed, forbidden, needsInWords, needsOf } from "./needs";
import { type People, peopleAt } from "./people";
import { everyMoneyCall, type Policy, policyAt } from "./policy";
import type { Release } from "./release";
import type { CallTerms, Sealed, SealedCall } from "./terms";

/** A call that may go on its way, as it leaves, and what is looked at when it does. */
export interface Cleared {
  readonly call: PreparedCall;
  readonly guard?: Guard;
}

/** What a request says of itself before it is sealed. */
interface Asking {
  readonly release?: Sealed["release"] | undefined;
  readonly asker?: string | undefined;
}

/** How long a request waits for a yes. */
const waitsMs = 24 * 3_600_000;

/** The call as it was sealed; what its caller chose for himself stays his. */
function sealedCall({ id, key, sealed }: Release, call: PreparedCall): PreparedCall {
  const { address, target, headers, body, values, given } = sealed.terms as CallTerms;
  const isKeyed =
    call.options.key !== undefined || usualKey({ operation: call.operation, values }) !== undefined;
  const options = isKeyed ? call.options : { ...call.options, key: key === id ? id : key };
  return Object.freeze({ operation: call.operation, address, target, headers, body, values, given, options });
}

/** Who releases, where this process may know it. */
export async function peopleOf(path: string | undefined): Promise<People | undefined> {
  if (path === undefined) return undefined;
  // Who only asks need not be able to read it: what needs it says so.
  return peopleAt(path).catch(() => undefined);
}

export class ReleaseStage {
  #desk: ReleaseDesk | undefined;

  constructor(private readonly connection: Connection) {}

  get desk(): ReleaseDesk {
    return (this.#desk ??= new ReleaseDesk(new KeptStore(this.connection.store)));
  }

  /** Read anew each time: what is changed in it holds at once. Throws an FxdeskError where that cannot be. */
  async authority(operation: string, { release, asker }: Asking): Promise<Authority> {
    const { policy: path, people: peoplePath } = this.connection.settings;
    const people = await peopleOf(peoplePath);
    if (path !== undefined) return { policy: await this.#policy(operation, path), people };
    if (release === "policy")
      throw refused(operation, "It was asked for under a policy, and FXDESK_POLICY names none here.");
    if (release === undefined) return { policy: undefined, people };
    if (!people)
      throw refused(
        operation,
        "It needs a person's release, and nobody is named who could give it: FXDESK_POLICY and FXDESK_PEOPLE name who may.",
      );
    const names = new Set([...Object.keys(people.secrets), ...(asker === undefined ? [] : [asker])]);
    return { policy: everyMoneyCall([...names]), people };
  }

  /** Lets a call go, or throws: ReleaseNeeded where it waits for a yes, another FxdeskError where it may not leave at all. */
  async clear(call: PreparedCall): Promise<Cleared> {
    const { name, effect } = call.operation;
    const authority = await this.authority(name, {
      release: effect === "money" ? call.options.release : undefined,
      asker: actorOf(this.connection, call.options),
    });
    const { policy } = authority;
    if (!policy) return { call };
    const sealed = this.#sealed(call);
    const needs = needsOf(policy, sealed);
    const reason = forbidden(policy, sealed) ?? unaskable(policy, needs, sealed.asker);
    if (reason !== undefined) throw refused(name, reason);
    if (needs.length === 0 && !(policy.limits && effect === "money")) {
      const isClosed = closed(policy, Date.now());
      if (isClosed !== undefined) throw refused(name, isClosed);
      return { call };
    }
    const { given, options } = call;
    const isOnce = usualKey(call) !== undefined;
    const release = await this.#asked(call, { sealed, given, key: options.key, isOnce, needs });
    if (standing(release, Date.now()) === "waiting") throw needed(release, needsInWords(needs));
    const guard = guardOf(release, authority, "sent", notUsable);
    return { call: sealedCall(release, call), guard };
  }

  /** Lets a call leave that the journal does not have. */
  leave(guard: Guard): Promise<void> {
    return this.desk.leave(guard, randomUUID());
  }

  async close(): Promise<void> {
    await this.#desk?.close();
  }

  async #policy(operation: string, path: string): Promise<Policy> {
    try {
      return await policyAt(path);
    } catch (error) {
      throw refused(operation, (error as Error).message);
    }
  }

  async #asked({ operation, options }: PreparedCall, wish: Wish): Promise<Release> {
    try {
      return await this.desk.ask(wish, options.mayAsk);
    } catch (error) {
      throw this.asFailure(operation.name, error as Error);
    }
  }

  /** What went wrong at the desk, in the family of errors. */
  asFailure(operation: string, error: Error): FxdeskError {
    if (error instanceof FxdeskError) return error;
    if (error instanceof NotAsked) return refused(operation, error.message);
    if (error instanceof ReleaseRefusal)
      return new Conflict(`${operation}: ${error.message} Nothing was sent.`, {
        operation,
        code: "conflict",
        outcome: "not-sent",
      });
    const cause = this.connection.secrets.redactError(error);
    return new Unavailable(
      `${operation}: Nobody can tell whether it is released: the store, ${shownPlace(this.connection.store.place)}, ` +
        `cannot be used (${cause.message}). Nothing was sent.`,
      { operation, code: "unavailable", outcome: "not-sent", retryable: true, cause },
    );
  }

  #sealed(call: PreparedCall): SealedCall {
    const { operation, values, given, address, target, headers, body, options } = call;
    const { service } = this.connection;
    const asker = actorOf(this.connection, options);
    const amounts = amountsIn(operation.commits, values);
    return {
      kind: "call",
      effect: operation.effect === "money" ? "money" : "change",
      operation: operation.name,
      environment: environmentOf(this.connection, operation)!,
      client: customerIn(service, values),
      ...(asker !== undefined && { asker }),
      surface: options.surface ?? "client",
      validUntil: Date.now() + waitsMs,
      ...(options.release && { release: options.release }),
      ...correlationFrom(operation.name, options.correlation),
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

function needed({ id, sealed }: Release, words: string): FxdeskError {
  const { operation, validUntil } = sealed;
  return new ReleaseNeeded(
    `${operation}: It waits for ${words}, as ${id}, until ${new Date(validUntil).toISOString()}. Nothing was sent. ` +
      `Once it is released (fxdesk releases release ${id}), the same call sends it as it was looked at, once.`,
    { operation, code: "release_needed", outcome: "not-sent", release: id },
  );
}

/** A call is used once; one that turned out not to have left may leave under the journal entry that it has. */
const notUsable = ({ id, state, entry: used }: Release, entry: string): string | undefined => {
  if (state === "released" || (state === "sent" && used === entry)) return undefined;
  return state === "sent" ? `${id} was used: a release is used once.` : `${id} is ${state}.`;
};
