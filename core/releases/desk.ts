/** The desk: where is asked for a yes, given one, and taken back what was asked for. */
import { randomBytes } from "node:crypto";
import type { KeptStore } from "../journal/kept-store";
import type { Value } from "../store/database";
import type { Guard } from "../journal/entry";
import { canBeEnough, isEnough, mayDecide, type Need, needsInWords, needsOf } from "./needs";
import { type People, isSigned, signed } from "./people";
import type { Policy } from "./policy";
import { type Decision, isOver, type Release, type ReleaseState } from "./release";
import { type MayAsk, proposalOf, type ReleaseProposal } from "./proposal";
import {
  decisionsOn,
  getRelease,
  insertRelease,
  keepDecision,
  momentOf,
  moveRelease,
  readableReleases,
  selectReleases,
  type Source,
} from "./rows";
import { askOf, type Sealed } from "./terms";

/** A release does not allow what was asked of it. Nothing was done. */
export class ReleaseRefusal extends Error {
  override readonly name = "ReleaseRefusal";
}

export class NoSuchRelease extends ReleaseRefusal {
  constructor(id: string) {
    super(`There is no release ${id}.`);
  }
}

/** It was not to be asked for. */
export class NotAsked extends ReleaseRefusal {}

/** What is asked for. */
export interface Wish {
  readonly sealed: Sealed;
  /** What the caller gave, by which it is known again. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
  /** Whether the same again is the same call, also once it has left, and where it has no key. */
  readonly isOnce?: boolean;
  readonly needs: readonly Need[];
}

/** Digits and capital letters, without those that are taken for one another. */
const letters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Such as `R-7K3M9QW2X5AB`: 60 bits of chance. */
function newId(): string {
  return `R-${Array.from(randomBytes(12), (byte) => letters[byte & 31]).join("")}`;
}

/** How it stands at a moment: what nobody used in time has expired, whether somebody wrote that down or not. */
export const standing = ({ state, sealed: { validUntil } }: Release, moment: number): ReleaseState =>
  (state === "waiting" || state === "released") && validUntil <= moment ? "expired" : state;

/** The same with what there is to say of it, where nobody has written it down yet. */
function asOf(release: Release, moment: number): Release {
  const state = standing(release, moment);
  if (state === release.state) return release;
  const reason = release.state === "waiting" ? "Nobody released it in time." : "Its time was over.";
  const remark = [reason, release.progress.remark].filter(Boolean).join(" ");
  return { ...release, state, progress: { ...release.progress, remark } };
}

/** The work of one transaction. */
interface Turn extends Source {
  readonly moment: number;
}

async function found(turn: Source, id: string): Promise<Release> {
  const release = await getRelease(turn, id);
  if (!release) throw new NoSuchRelease(id);
  return release;
}

/** Whether the same call made again means this one, rather than another like it. */
const isStillMeant = (release: Release, moment: number): boolean => {
  const state = standing(release, moment);
  return release.sealed.kind === "order" || state === "sent" || !isOver(state);
};

/** What was asked for before and is meant again; undefined where it is new. Throws where the key stands for something else. */
async function known(
  turn: Turn,
  { sealed, key, isOnce = false }: Wish,
  asks: string,
): Promise<Release | undefined> {
  const { environment, client, operation } = sealed;
  if (key !== undefined) {
    const [latest] = await selectReleases(
      turn,
      `WHERE environment = $1 AND client = $2 AND operation = $3 AND key = $4
       ORDER BY asked_at DESC, id LIMIT 1`,
      [environment, client, operation, key],
    );
    if (!latest) return undefined;
    if (latest.asks !== asks)
      throw new ReleaseRefusal(
        `The key ${JSON.stringify(key)} stands for another request, ${latest.id}, which is ${standing(latest, turn.moment)}. Under another key, this one may come on top.`,
      );
    return isStillMeant(latest, turn.moment) ? latest : undefined;
  }
  if (sealed.kind === "order") return undefined;
  const open = await selectReleases(
    turn,
    `WHERE asks = $1 AND state IN ('waiting', 'released'${isOnce ? ", 'sent'" : ""}) ORDER BY asked_at LIMIT 20`,
    [asks],
  );
  return open.find((release) => isStillMeant(release, turn.moment));
}

/** What a person says, and with what it is proved. */
export interface Saying {
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
export function notTheirs(
  { id, sealed }: Pick<Release, "id" | "sealed">,
  state: ReleaseState,
  { person, decision, policy }: Pick<Saying, "person" | "decision" | "policy">,
): string | undefined {
  if (state !== "waiting" && !(state === "released" && decision === "refuse"))
    return `${id} is ${state}: ${decision === "refuse" ? "it cannot be refused any more" : "there is nothing to release"}.`;
  const { asker } = sealed;
  const needs = needsOf(policy, sealed);
  if (asker === undefined)
    return `Nobody knows who asked for ${id}, so nobody can be another than who asked.`;
  if (person === asker) return `${person} has asked for ${id}: somebody else must decide on it.`;
  if (!policy.people.includes(person)) return `The policy does not name ${person} among its people.`;
  if (!mayDecide(policy, needs, asker, person))
    return `${id} needs ${needsInWords(needs)}; that of ${person} does not count.`;
  return undefined;
}

/** Which releases are listed. */
export interface Looking {
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

export class ReleaseDesk {
  constructor(private readonly store: KeptStore) {}

  /**
   * Asks for something, or finds what was asked for before. Throws a ReleaseRefusal where its key stands for something else, and
   * NotAsked where it may not be asked for.
   */
  async ask(wish: Wish, mayAsk?: MayAsk): Promise<Release> {
    const { sealed, given, key, needs } = wish;
    const asks = askOf(sealed, given);
    const id = newId();
    // A person may take minutes to answer: nothing is held meanwhile, and what changed in between is seen below.
    if (mayAsk && needs.length > 0 && !(await this.#read((turn) => known(turn, wish, asks))))
      await assertMayAsk(mayAsk, proposalOf(sealed, needsInWords(needs), asks));
    return this.#exclusively(async (turn) => {
      // Where the response to a commit was lost, this runs again.
      const before = (await getRelease(turn, id)) ?? (await known(turn, wish, asks));
      if (before) return before;
      const state = needs.length > 0 ? "waiting" : "released";
      return insertRelease(turn, { id, state, key: key ?? id, asks, sealed }, turn.moment);
    });
  }

  /** As it stands now. Throws a ReleaseRefusal where there is none. */
  get(id: string): Promise<{ readonly release: Release; readonly decisions: readonly Decision[] }> {
    return this.#read(async (turn) => {
      const release = await found(turn, id);
      return { release: asOf(release, turn.moment), decisions: await decisionsOn(turn, id) };
    });
  }

  /** Newest first, but for those that were changed in the store: they are not what was asked for. */
  list({ states, environments, newest = "asked", limit }: Looking): Promise<ReleaseList> {
    return this.#read(async (turn) => {
      const values: Value[] = [];
      const given = (value: Value) => `$${values.push(value)}`;
      const isOneOf = (what: string, names: readonly string[]) =>
        `${what} IN (${names.map(given).join(", ")})`;
      const conditions = [
        ...(states ? [isOneOf(standingInStore(given(turn.moment)), states)] : []),
        ...(environments ? [isOneOf("environment", environments)] : []),
      ];
      const where = conditions.length > 0 ? `WHERE ${conditions.join(" AND ")}` : "";
      const { releases, faults } = await readableReleases(
        turn,
        `${where} ORDER BY ${newest}_at DESC, id LIMIT ${given(limit + 1)}`,
        values,
      );
      return {
        releases: releases.slice(0, limit).map((release) => asOf(release, turn.moment)),
        isComplete: releases.length + faults.length <= limit,
      };
    });
  }

  /** Writes down what a person says who has proved who they are. Throws a ReleaseRefusal where it does not count. */
  decide(id: string, saying: Saying): Promise<Release> {
    const { person, decision, note, policy, people } = saying;
    return this.#exclusively(async (turn) => {
      const { moment } = turn;
      const release = await found(turn, id);
      const reason = notTheirs(release, standing(release, moment), saying);
      if (reason !== undefined) throw new ReleaseRefusal(reason);
      const { hash, sealed, progress, entry = null } = release;
      if (saying.seal !== undefined && saying.seal !== hash)
        throw new ReleaseRefusal(`${id} is not what was shown. Nothing was decided: look at it again.`);
      const until = Math.min(sealed.validUntil, moment + policy.yesLastsMinutes * minuteMs);
      const said = signed(people, {
        release: id,
        hash,
        person,
        decision,
        at: moment,
        until,
        ...(note !== undefined && { note }),
      });
      await keepDecision(turn, said);
      if (decision === "refuse") {
        const remark = `Refused by ${person}${note === undefined ? "." : `: ${note}`}`;
        await moveRelease(turn, release, moment, {
          state: "refused",
          progress: { ...progress, remark },
          nextAt: 0,
          entry,
        });
      } else {
        const yes = (await decisionsOn(turn, id))
          .filter((each) => each.hash === hash && each.decision === "release" && each.until > moment)
          .filter((each) => isSigned(people, each))
          .map((each) => each.person);
        if (isEnough(policy, needsOf(policy, sealed), sealed.asker, yes))
          await moveRelease(turn, release, moment, { state: "released", progress, nextAt: 0, entry });
      }
      return found(turn, id);
    });
  }

  /** Takes back what was asked for, as long as nothing has left. Throws a ReleaseRefusal where something has. */
  cancel(id: string, by: string | undefined): Promise<Release> {
    return this.#exclusively(async (turn) => {
      const release = await found(turn, id);
      const state = standing(release, turn.moment);
      if (state !== "waiting" && state !== "released")
        throw new ReleaseRefusal(`${id} is ${state}: it cannot be cancelled.`);
      const remark = by === undefined ? "Cancelled." : `Cancelled by ${by}.`;
      await moveRelease(turn, release, turn.moment, {
        state: "cancelled",
        progress: { ...release.progress, remark },
        nextAt: 0,
        entry: null,
      });
      return found(turn, id);
    });
  }

  /** Runs what is looked at when something leaves that the journal does not have. */
  leave(guard: Guard, entry: string): Promise<void> {
    return this.#exclusively(({ run, seal, moment }) => guard({ run, seal, moment, entry }));
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #exclusively<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.store.read(({ database, seal }) =>
      database.exclusively(async (run) => work({ run, seal, moment: await momentOf(run, database.now) })),
    );
  }

  #read<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    return this.store.read(async ({ database: { run, now }, seal }) =>
      work({ run, seal, moment: await momentOf(run, now) }),
    );
  }
}

async function assertMayAsk(mayAsk: MayAsk, proposal: ReleaseProposal): Promise<void> {
  const may = await mayAsk(proposal).catch((error: Error) => {
    throw new NotAsked(`Nobody could say whether to ask for its release: ${error.message}.`);
  });
  if (!may) throw new NotAsked("The answer was not to ask for its release.");
}

/** The same as `standing`, for the database. */
const standingInStore = (moment: string) =>
  `CASE WHEN state IN ('waiting', 'released') AND valid_until <= ${moment} THEN 'expired' ELSE state END`;

/** Why nobody could ever say yes to what somebody asks; undefined where that can be. */
export function unaskable(
  policy: Policy,
  needs: readonly Need[],
  asker: string | undefined,
): string | undefined {
  if (needs.length === 0) return undefined;
  if (asker === undefined)
    return "It needs the release of somebody else than who asks, and nobody says who that is: set FXDESK_ACTOR to a name of the policy.";
  if (!policy.people.includes(asker))
    return `The policy does not name ${asker} among its people: set FXDESK_ACTOR to one of them.`;
  return canBeEnough(policy, needs, asker)
    ? undefined
    : `It needs ${needsInWords(needs)}, and ${asker} cannot be among them.`;
}
