/** A client for one command, with the settings of flags, environment or profile. */
import type { ClientCore } from "../../core/api/client-types";
import type { Service } from "../../core/spec/service";
import type { ParsedArguments } from "../command-line/arguments";
import type { Terminal } from "../terminal/terminal";
import { clientOptions } from "./client-options";
import { asUsageError } from "./connection-settings";
import { effectiveSettings } from "./profile";

/** Runs `work` with a client, which is closed afterwards. Calls that the client recovers meanwhile are not reported. */
export async function withClient<T>(
  service: Service,
  parsed: ParsedArguments,
  terminal: Terminal,
  work: (client: ClientCore) => Promise<T>,
): Promise<T> {
  const { createClient } = await import("../../core/client/client.js");
  const options = clientOptions(await effectiveSettings(parsed, terminal, service), service);
  const client = asUsageError(
    () => createClient({ ...options, onRecovered: () => undefined }, service),
    service,
  );
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
