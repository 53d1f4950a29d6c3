/** Watches of this process's own store, as if the time of their next read had come. */
import { withStore } from "../../core/store/open";
import { storeSettings } from "../../core/store/settings";

export const readsAreDue = (): Promise<unknown> =>
  withStore(storeSettings({}), ({ database: { run } }) => run("UPDATE fxdesk_watches SET next_at = 0"));
