/** Makes all watches in the store of this process due. */
import { withStore } from "../../core/store/open";
import { parseStoreSettings } from "../../core/store/settings";

export const makeReadsDue = (): Promise<unknown> =>
  withStore(parseStoreSettings({}), ({ database: { run } }) => run("UPDATE fxdesk_watches SET next_at = 0"));
