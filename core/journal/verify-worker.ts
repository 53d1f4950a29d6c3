/** Thread that verifies a part of a chain, with its own connection to the store. */
import { parentPort, workerData } from "node:worker_threads";
import { withStore } from "../store/open";
import type { StoreSettings } from "../store/settings";
import type { ChainHead } from "./hash-chain";
import { type ChainRange, verifyRange } from "./verify-range";

export interface VerifyTask {
  readonly settings: StoreSettings;
  readonly range: ChainRange;
  readonly heads: readonly ChainHead[];
}

const { settings, range, heads } = workerData as VerifyTask;
// Buffers arrive as plain arrays of bytes.
const key = settings.key && Buffer.from(settings.key);
void withStore({ ...settings, key }, (store) => verifyRange(store, range, heads)).then((verified) =>
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
  parentPort!.postMessage(verified),
);
