/** What stands in the place of a release of its own. */
import type { SendGuard } from "../journal/entry";

/** A call of an order, which was released itself. */
export interface PreAuthorization {
  /** What is looked at when it leaves. */
  readonly guard?: SendGuard;
}
