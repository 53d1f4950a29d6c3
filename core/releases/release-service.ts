/** The releases of one store. Each method is one transaction, except that a request may wait for a confirmation. */
import type { ConfirmRelease } from "../call/call-options";
import type { SendGuard } from "../store/database";
import type { StoreSession } from "../store/session";
import { cancelRelease, type DecisionRequest, recordDecision } from "./decide";
import { type Decision, type Release, withEffectiveState } from "./release";
import {
  changeReleases,
  getRelease,
  listDecisions,
  listReleases,
  readReleases,
  type ReleaseFilter,
  type ReleaseList,
} from "./repository";
import { type ReleaseRequest, requestRelease } from "./request";

export class ReleaseService {
  constructor(private readonly store: StoreSession) {}

  /**
   * Requests release, or returns the earlier release of the same request. Throws a ReleaseRefusal if the key belongs to another
   * request, and RequestDeclined if `confirm` declines.
   */
  request(request: ReleaseRequest, confirm?: ConfirmRelease): Promise<Release> {
    return requestRelease(this.store, request, confirm);
  }

  /** Returns a release in its effective state, with its decisions. Throws ReleaseNotFound. */
  get(id: string): Promise<{ readonly release: Release; readonly decisions: readonly Decision[] }> {
    return readReleases(this.store, async (access) => ({
      release: withEffectiveState(await getRelease(access, id), access.moment),
      decisions: await listDecisions(access, id),
    }));
  }

  /** Lists releases, newest first. Omits releases that were changed in the store. */
  list(filter: ReleaseFilter): Promise<ReleaseList> {
    return readReleases(this.store, (access) => listReleases(access, filter));
  }

  /** Records the decision of an authenticated person. Throws a ReleaseRefusal if it is not allowed. */
  decide(id: string, request: DecisionRequest): Promise<Release> {
    return changeReleases(this.store, (access) => recordDecision(access, id, request));
  }

  /** Cancels a pending release. Throws a ReleaseRefusal once the request was sent. */
  cancel(id: string, by: string | undefined): Promise<Release> {
    return changeReleases(this.store, (access) => cancelRelease(access, id, by));
  }

  /** Runs the guard of a call that is not recorded in the journal. */
  markSent(guard: SendGuard, entry: string): Promise<void> {
    return changeReleases(this.store, (access) => guard({ ...access, entry }));
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
