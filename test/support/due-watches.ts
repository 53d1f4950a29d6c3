/** Watches of this process's own store, as if the time of their next read had come. */
import { withStore } from "../../core/store/open";
import { parseStoreSettings } from "../../core/store/settings";

export const makeReadsDue = (): Promise<unknown> =>
  withStore(parseStoreSettings({}), ({ database: { run } }) => run("UPDATE fxdesk_watches SET next_at = 0"));
