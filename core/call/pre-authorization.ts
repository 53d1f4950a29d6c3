/** Authorization of calls that belong to a released order. */
import type { SendGuard } from "../store/database";

/** Marks a call as covered by the release of its order. */
export interface PreAuthorization {
  /** Checked when the call is sent. */
  readonly guard?: SendGuard;
}
