/**
 * Mails to whoever must act: what waits for a yes to those whose yes counts, what became of it to who asked. Each is sent once,
 * over restarts and processes. A mail decides nothing; one that cannot be sent is told in the log, and stops nothing.
 */
import { setTimeout as wait } from "node:timers/promises";
import { json } from "../declaration/declare";
import { watchOver } from "../declaration/watch";
import { KeptStore } from "../journal/kept-store";
import type { StoreSettings } from "../store/settings";
import type { AnyWatch } from "../watches/compare";
import { Watcher } from "../watches/engine";
import type { ToldChange } from "../watches/options";
import { notTheirs, type ReleaseDesk } from "./desk";
import { MailServer, type MailSettings } from "./mail-server";
import { askedText, decidedText } from "./mail-text";
import { peopleAt } from "./people";
import type { ReleaseState } from "./release";
import { ReleaseReport, reportOf } from "./report";
import { type DecisionFiles, policyFor } from "./decision-by-secret";

export interface Mailing {
  readonly desk: ReleaseDesk;
  /** Where it is kept what was told. */
  readonly store: StoreSettings;
  readonly files: DecisionFiles;
  readonly settings: MailSettings;
  /** The address of the page, where there is one. */
  readonly page?: string | undefined;
  /** Hears what could not be sent. */
  readonly log: (line: string) => void;
  /** Between two looks. */
  readonly everyMs?: number;
  /** After a try in vain. */
  readonly pauseMs?: number;
}

const mostLooked = 1_000;
const [usualEveryMs, usualPauseMs, tries] = [2_000, 5_000, 3] as const;
/** A mail may take its time; whoever is slower than this is taken for gone, and it is sent again. */
const holdMs = 300_000;

const watch = watchOver<unknown>()({
  name: "releases.mailed",
  tool: "release_mailed",
  title: "Release mailed",
  summary: "Reports requests for release for which e-mails are sent.",
  uses: [],
  input: {},
  output: json(ReleaseReport, "The release and its state."),
  everyMs: usualEveryMs,
  begins: "beginning",
  identify: ({ release }) => release,
  state: ({ state }) => ({ state }),
  // Of what was over before anybody looked there is nothing to do.
  tellsWhenNew: ({ state }) => state === "waiting",
  read: async () => ({ entries: [], gaps: [] }),
}) as unknown as AnyWatch;

/** What who asked waits for, or must do something about. */
const toldToAsker: ReadonlySet<string> = new Set<ReleaseState>([
  "released",
  "booked",
  "expired",
  "refused",
  "cancelled",
  "unknown",
]);

export class ReleaseMails {
  readonly #ending = new AbortController();
  readonly #store: KeptStore;
  readonly #told: Promise<void>;

  private constructor(
    private readonly mailing: Mailing,
    private readonly server: MailServer,
  ) {
    this.#store = new KeptStore(mailing.store);
    this.#told = this.#tellAll();
  }

  /** Sends mails from now on, also of what waits already. Throws a TypeError that begins with a setting. */
  static async start(mailing: Mailing): Promise<ReleaseMails> {
    return new ReleaseMails(mailing, await MailServer.open(mailing.settings));
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#told;
    this.server.close();
    await this.#store.close();
  }

  async #tellAll(): Promise<void> {
    const { everyMs = usualEveryMs, pauseMs = usualPauseMs, log } = this.mailing;
    const { signal } = this.#ending;
    const read = async () => {
      const { releases } = await this.mailing.desk.list({ newest: "changed", limit: mostLooked });
      return { entries: releases.map(reportOf), gaps: [] };
    };
    const watching = {
      watch,
      input: {},
      scope: [],
      store: this.#store,
      read,
      redacted: (error: Error) => error,
    };
    while (!signal.aborted) {
      try {
        for await (const change of new Watcher(watching, { everyMs, holdMs }, signal).changes())
          await this.#tell(change as ToldChange<ReleaseReport>);
      } catch (error) {
        if (signal.aborted) return;
        log(`Mails cannot be sent now: ${(error as Error).message}`);
        await wait(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Throws only where it is to end before it is known whether a mail was sent. */
  async #tell({ entry, cursor }: ToldChange<ReleaseReport>): Promise<void> {
    const { desk, files, page, settings, log } = this.mailing;
    if (entry === undefined) return;
    try {
      const { release } = await desk.get(entry.release);
      const people = await peopleAt(files.people);
      const policy = await policyFor(release, files.policy, people);
      const isAsked = entry.state === "waiting";
      const isFor = (person: string): boolean =>
        isAsked
          ? notTheirs(release, release.state, { person, decision: "release", policy }) === undefined
          : person === release.sealed.asker && toldToAsker.has(entry.state);
      const { subject, text } = (isAsked ? askedText : decidedText)(entry, page);
      const messageId = `<${cursor}.${entry.release}@${settings.from.split("@")[1]}>`;
      for (const [person, to] of Object.entries(people.addresses))
        if (isFor(person)) await this.#send(person, entry.release, { to, subject, text, messageId });
    } catch (error) {
      this.#ending.signal.throwIfAborted();
      log(`Nobody was told of ${entry.release} by mail: ${(error as Error).message}`);
    }
  }

  async #send(person: string, release: string, mail: Parameters<MailServer["send"]>[0]): Promise<void> {
    const { log, pauseMs = usualPauseMs } = this.mailing;
    const { signal } = this.#ending;
    for (let left = tries - 1; ; left -= 1) {
      signal.throwIfAborted();
      try {
        return await this.server.send(mail);
      } catch (error) {
        if (left === 0)
          return log(`${person} was not told of ${release} by mail: ${(error as Error).message}`);
        await wait(pauseMs, undefined, { signal });
      }
    }
  }
}
