/** Status below an operation node: the number of calls in progress, or the outcome of the last one. */
import type { Node, NodeStatus } from "node-red";
import type { ClientCore } from "../../core/api/client-types";
import type { ReleaseReport } from "../../core/releases/report";
import type { Progress } from "../../core/spec/procedure";
import type { Failure } from "../shared/errors";
import { type ReleaseFollower, releaseStatus, type ShownRelease } from "../shared/release-status";
import { failedStatus, type Translate, unusableStatus } from "../shared/status";
import type { SentSummary } from "./output/node-call";
import { stablePathOf } from "./redeploy";

/** Current load of a node. */
export interface NodeLoad {
  readonly inFlight: number;
  readonly waiting: number;
}

const formatSize = (bytes: number): string =>
  bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 ** 2
      ? `${Math.round(bytes / 1024)} kB`
      : `${Math.round(bytes / 1024 ** 2)} MB`;

/** Lists whose numbers of entries tell more than that of the main list, in this order; the catalogues have their words. */
const countedLists = ["matched", "open_items", "files", "failed"];

function countsText(translate: Translate, counts: Readonly<Record<string, number>>): string {
  const shown = countedLists.filter((list) => (list === "failed" ? counts[list] : list in counts));
  return shown.map((list) => translate(`lists.${list}`, counts[list])).join(", ");
}

function successText(translate: Translate, summary: SentSummary): string {
  const { statusCode, entries, counts, more, bytes } = summary;
  const countsShown = counts && countsText(translate, counts);
  if (countsShown) return countsShown;
  if (entries !== undefined) return translate(more ? "someEntries" : "entries", entries);
  if (bytes !== undefined) return formatSize(bytes);
  return translate(statusCode === 202 ? "accepted" : "done");
}

/** Minimum time between updates. Each update is sent to every open editor. */
const minUpdateIntervalMs = 250;

/** Shows updates in the next turn of the event loop, and at most four times a second. */
export class OperationStatus {
  #load: NodeLoad = { inFlight: 0, waiting: 0 };
  /** Progress of the current call, if it reports any. */
  #progress: Progress | undefined;
  /** Returns the status after the last finished message. */
  #last = (): NodeStatus => ({});
  #timer: NodeJS.Timeout | undefined;
  #shownAt = -Infinity;
  #isClosed = false;

  constructor(
    private readonly node: Node,
    private readonly translate: Translate,
    private readonly follower: ReleaseFollower,
  ) {}

  /** Shows the load of the node while calls are in progress. */
  setSending({ inFlight, waiting }: NodeLoad): void {
    this.#load = { inFlight, waiting };
    this.#scheduleUpdate();
  }

  setProgress(progress: Progress): void {
    this.#progress = progress;
    this.#scheduleUpdate();
  }

  setSuccess(summary: SentSummary): void {
    this.#setLast(() =>
      summary.needsConfirmation
        ? { fill: "yellow", shape: "ring", text: this.translate("needsConfirmation") }
        : { fill: "green", shape: "dot", text: successText(this.translate, summary) },
    );
  }

  /** Shows the state of a release, and what becomes of it. */
  setRelease(shown: ShownRelease): void {
    const show = (report: ReleaseReport) => this.#setLast(() => releaseStatus(this.translate, report));
    show(shown.report);
    if (!this.#isClosed) this.follower.follow(this, shown, show);
  }

  /** Continues to show the release of the node before a deploy: Node-RED keeps its status. */
  resumeRelease(client: ClientCore): void {
    const report = this.follower.takeOver(stablePathOf(this.node));
    if (report) this.setRelease({ client, report });
  }

  setFailed(failure: Failure): void {
    this.#setLast(() => failedStatus(failure));
  }

  /** Shows at once that the node has no usable connection or operation. */
  setUnusable(error: unknown): void {
    this.node.status(unusableStatus(this.translate, error));
  }

  /** Stops updates. A node that was removed has no successor. */
  close({ isRemoved }: { readonly isRemoved: boolean }): void {
    this.#isClosed = true;
    if (isRemoved) this.follower.unfollow(this);
    else this.follower.handOver(this, stablePathOf(this.node));
    clearTimeout(this.#timer);
  }

  #setLast(status: () => NodeStatus): void {
    this.follower.unfollow(this);
    this.#last = status;
    this.#scheduleUpdate();
  }

  #scheduleUpdate(): void {
    if (this.#isClosed) return;
    const waitMs = Math.max(0, this.#shownAt + minUpdateIntervalMs - performance.now());
    this.#timer ??= setTimeout(() => this.#update(), waitMs);
  }

  #update(): void {
    this.#timer = undefined;
    this.#shownAt = performance.now();
    if (this.#load.inFlight === 0) this.#progress = undefined;
    this.node.status(this.#load.inFlight > 0 ? this.#sendingStatus() : this.#last());
  }

  #sendingStatus(): NodeStatus {
    const { inFlight, waiting } = this.#load;
    const parts = [this.translate("calling", inFlight)];
    if (this.#progress) {
      const { done, total } = this.#progress;
      parts.push(total === undefined ? String(done) : `${done}/${total}`);
    }
    if (waiting > 0) parts.push(this.translate("waiting", waiting));
    return { fill: "blue", shape: "dot", text: parts.join(", ") };
  }
}
