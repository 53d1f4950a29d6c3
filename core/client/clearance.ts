/** What stands in the place of a release of its own. */
import type { Guard } from "../journal/entry";

/** A call of an order, which was released itself. */
export interface Clearance {
  /** What is looked at when it leaves. */
  readonly guard?: Guard;
}
