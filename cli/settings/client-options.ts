/** Options of a client from settings. */
import type { ClientOptions } from "../../core/call/client-options";
import { optionsFromSettings } from "../../core/call/settings";
import { Requester } from "../../core/people/requester";
import { asUsageError, contract, type ServiceSettings } from "./connection-settings";

/** Returns client options. Without a service key, the user of this process requests. */
export const clientOptions = (
  settings: Readonly<Record<string, string | undefined>>,
  service: ServiceSettings = contract,
): ClientOptions =>
  asUsageError(() => ({ ...optionsFromSettings(settings), requester: Requester.ofProcess() }), service);
