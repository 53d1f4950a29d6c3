/**
 * Sends mail about new requests to the people who may release them, and about outcomes to the requester. Each mail is sent once,
 * across restarts and processes. Mail decides nothing, and a failure is only logged.
 */
import { setTimeout as wait } from "node:timers/promises";
import { json } from "../spec/declare";
import { watchFor } from "../spec/watch";
import { StoreSession } from "../store/session";
import type { StoreSettings } from "../store/settings";
import { subscribe } from "../watches/subscribe";
import type { AnyWatch } from "../watches/watch";
import type { Delivery } from "../api/watch-options";
import { type DecisionFiles, findDecisionProblem, policyForRelease } from "../releases/decide";
import type { ReleaseService } from "../releases/release-service";
import { MailServer, type MailSettings } from "./mail-server";
import { requestText, outcomeText } from "./mail-text";
import { loadPeople } from "../people/people-file";
import type { ReleaseState } from "../releases/states";
import { ReleaseReport, toReleaseReport } from "../releases/report";

export interface ReleaseMailerOptions {
  readonly service: ReleaseService;
  /** Store of the delivery state. */
  readonly store: StoreSettings;
  readonly files: DecisionFiles;
  readonly settings: MailSettings;
  /** URL of the releases page, if any. */
  readonly page?: string | undefined;
  /** Receives failures, one line each. */
  readonly log: (line: string) => void;
  /** Pause between reads of the releases. */
  readonly pollIntervalMs?: number;
  /** Pause after a failure. */
  readonly retryPauseMs?: number;
}

const maxListed = 1_000;
const [defaultPollIntervalMs, defaultRetryPauseMs, maxAttempts] = [2_000, 5_000, 3] as const;
/** Time for sending the mails of one change. After it, another process sends them again. */
const leaseMs = 300_000;

const watch = watchFor<unknown>()({
  name: "releases.mailed",
  tool: "release_mailed",
  title: "Release mailed",
  summary: "Reports requests for release for which e-mails are sent.",
  uses: [],
  input: {},
  output: json(ReleaseReport, "The release and its state."),
  everyMs: defaultPollIntervalMs,
  defaultStart: "beginning",
  identify: ({ release }) => release,
  state: ({ state }) => ({ state }),
  // Requests that ended before the first read need no mail.
  reportsNew: ({ state }) => state === "waiting",
  read: async () => ({ entries: [], gaps: [] }),
}) as unknown as AnyWatch;

/** States that the requester is notified of. */
const requesterStates: ReadonlySet<string> = new Set<ReleaseState>([
  "released",
  "booked",
  "sent",
  "expired",
  "refused",
  "cancelled",
  "unknown",
]);

export class ReleaseMailer {
  readonly #stop = new AbortController();
  readonly #store: StoreSession;
  readonly #running: Promise<void>;

  private constructor(
    private readonly options: ReleaseMailerOptions,
    private readonly server: MailServer,
  ) {
    this.#store = new StoreSession(options.store);
    this.#running = this.#run();
  }

  /** Starts sending, including mail for requests that already wait. Throws a TypeError that starts with a setting. */
  static async start(options: ReleaseMailerOptions): Promise<ReleaseMailer> {
    return new ReleaseMailer(options, await MailServer.open(options.settings));
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.server.close();
    await this.#store.close();
  }

  async #run(): Promise<void> {
    const { pollIntervalMs = defaultPollIntervalMs, retryPauseMs = defaultRetryPauseMs, log } = this.options;
    const { signal } = this.#stop;
    const read = async () => {
      const { releases } = await this.options.service.list({ newest: "changed", limit: maxListed });
      return { entries: releases.map(toReleaseReport), gaps: [] };
    };
    const dependencies = {
      watch,
      input: {},
      scope: [],
      store: this.#store,
      read,
      redactError: (error: Error) => error,
    };
    const options = { everyMs: pollIntervalMs, holdMs: leaseMs };
    while (!signal.aborted) {
      try {
        for await (const change of subscribe(dependencies, options, signal))
          await this.#mailChange(change as Delivery<ReleaseReport>);
      } catch (error) {
        if (signal.aborted) return;
        log(`Reading the releases for mail failed: ${(error as Error).message}`);
        await wait(retryPauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Throws only if stopped while it is unknown whether a mail was sent. */
  async #mailChange({ entry, cursor }: Delivery<ReleaseReport>): Promise<void> {
    const { service, files, page, settings, log } = this.options;
    if (entry === undefined) return;
    try {
      const people = await loadPeople(files.people);
      const { release } = await service.getForDecision(entry.release, people);
      const policy = await policyForRelease(release, files, people);
      const isRequest = entry.state === "waiting";
      const isRecipient = (person: string): boolean =>
        isRequest
          ? findDecisionProblem(release, release.state, { person, decision: "release", policy }) === undefined
          : person === release.sealed.requester && requesterStates.has(entry.state);
      const { subject, text } = (isRequest ? requestText : outcomeText)(entry, page);
      const messageId = `<${cursor}.${entry.release}@${settings.from.split("@")[1]}>`;
      for (const [person, { address: to, lockedSince }] of Object.entries(people.people))
        if (to !== undefined && lockedSince === undefined && isRecipient(person))
          await this.#send(person, entry.release, { to, subject, text, messageId });
    } catch (error) {
      this.#stop.signal.throwIfAborted();
      log(`No mail about ${entry.release} was sent: ${(error as Error).message}`);
    }
  }

  async #send(person: string, release: string, mail: Parameters<MailServer["send"]>[0]): Promise<void> {
    const { log, retryPauseMs = defaultRetryPauseMs } = this.options;
    const { signal } = this.#stop;
    for (let attemptsLeft = maxAttempts - 1; ; attemptsLeft -= 1) {
      signal.throwIfAborted();
      try {
        return await this.server.send(mail);
      } catch (error) {
        if (attemptsLeft === 0)
          return log(`The mail about ${release} to ${person} was not sent: ${(error as Error).message}`);
        await wait(retryPauseMs, undefined, { signal });
      }
    }
  }
}
