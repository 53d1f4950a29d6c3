/** Statuses of releases: below the nodes that request them, and below those that report or decide them. */
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeStatus } from "node-red";
import type { ClientCore } from "../../core/api/client-types";
import type { ReleaseReport } from "../../core/releases/report";
import type { FxdeskError } from "../../core/spec/errors";
import { isFinalState, type ReleaseState, releaseStates } from "../../core/releases/states";
import { isObject } from "../../core/values/json";
import type { Translate } from "./status";

/** Returns a result if it is the report of a release. */
export function asReleaseReport(body: unknown): ReleaseReport | undefined {
  const isReport =
    isObject(body) && typeof body.release === "string" && releaseStates.includes(body.state as ReleaseState);
  return isReport ? (body as ReleaseReport) : undefined;
}

/** The state of a release; of a sent call, its outcome once it is known. */
const progressOf = ({ state, outcome }: ReleaseReport): string =>
  state === "sent" ? (outcome ?? state) : state;

const looks: Readonly<Record<string, Pick<NodeStatus, "fill" | "shape">>> = {
  booked: { fill: "green", shape: "dot" },
  done: { fill: "green", shape: "dot" },
  // An order may wait for its rate, perhaps for days.
  released: { fill: "green", shape: "ring" },
  sent: { fill: "green", shape: "ring" },
  booking: { fill: "blue", shape: "dot" },
  rejected: { fill: "red", shape: "ring" },
  refused: { fill: "grey", shape: "ring" },
  cancelled: { fill: "grey", shape: "ring" },
  expired: { fill: "grey", shape: "ring" },
};

/** Returns the status for the state of a release. It is yellow while a person has to act. */
export function releaseStatus(translate: Translate, report: ReleaseReport): NodeStatus {
  const progress = progressOf(report);
  const look = looks[progress] ?? { fill: "yellow", shape: "ring" };
  return { ...look, text: translate(`releases.${progress}`) };
}

/** True if the status of a release can still change. */
const isOpen = ({ state, outcome }: ReleaseReport): boolean =>
  state === "sent" ? outcome !== "done" && outcome !== "rejected" : !isFinalState(state as ReleaseState);

/** A release that a node shows, and the client that requested it. */
export interface ShownRelease {
  readonly client: ClientCore;
  readonly report: ReleaseReport;
}

interface Followed extends ShownRelease {
  readonly onChanged: (report: ReleaseReport) => void;
}

const pollIntervalMs = 1_000;

/** Follows the releases that nodes show, until they are final. One loop serves all nodes, and runs only while it has to. */
export class ReleaseFollower {
  readonly #followed = new Map<object, Followed>();
  /** Releases of closed nodes, by the paths of the nodes. */
  readonly #handedOver = new Map<string, ReleaseReport>();
  #isPolling = false;

  /** Reports each change of a release. Replaces the release that `owner` has followed until now. */
  follow(owner: object, { client, report }: ShownRelease, onChanged: Followed["onChanged"]): void {
    if (!isOpen(report)) return this.unfollow(owner);
    this.#followed.set(owner, { client, report, onChanged });
    if (!this.#isPolling) void this.#poll();
  }

  unfollow(owner: object): void {
    this.#followed.delete(owner);
  }

  /** Keeps the release that a closing node follows for its successor in a deploy, and stops following it. */
  handOver(owner: object, path: string): void {
    const followed = this.#followed.get(owner);
    if (followed) this.#handedOver.set(path, followed.report);
    this.unfollow(owner);
  }

  /** Returns the release that the node before the deploy followed, once. */
  takeOver(path: string): ReleaseReport | undefined {
    const report = this.#handedOver.get(path);
    this.#handedOver.delete(path);
    return report;
  }

  async #poll(): Promise<void> {
    this.#isPolling = true;
    while (this.#followed.size > 0) {
      await sleep(pollIntervalMs, undefined, { ref: false });
      for (const [owner, followed] of this.#followed) await this.#update(owner, followed);
    }
    this.#isPolling = false;
  }

  async #update(owner: object, followed: Followed): Promise<void> {
    const { client, report: shown, onChanged } = followed;
    const report = await client.orders.get(shown.release).catch((error: FxdeskError) => {
      // A store that fails is read again. A deploy may have changed the store.
      if (error.code === "not_found") this.unfollow(owner);
    });
    if (!report || this.#followed.get(owner) !== followed) return;
    if (progressOf(report) !== progressOf(shown)) onChanged(report);
    this.follow(owner, { client, report }, onChanged);
  }
}
