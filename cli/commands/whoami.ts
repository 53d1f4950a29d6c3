/** The `fxdesk whoami` command: shows the connection and tests it. */
import { createClient } from "../../core/client/client";
import { type TokenAge, readTokenAge } from "../../core/client/login";
import { type ConnectionStatus, checkConnection } from "../../core/client/connection-check";
import { InvalidInput } from "../../core/spec/errors";
import type { Service } from "../../core/spec/service";
import { type Command, columns, jsonFlag, printResult } from "../command-line/command";
import { exitCodeOf } from "../command-line/exit-codes";
import { clientOptions } from "../settings/client-options";
import { asUsageError } from "../settings/connection-settings";
import { connectionAndProfileOptions, requestedProfile, effectiveSettings } from "../settings/profile";
import { printable } from "../terminal/terminal";

/** Throws the missing settings without the name of the probe, which the user did not call. */
function throwIncomplete(error: unknown): never {
  if (!(error instanceof InvalidInput)) throw error;
  const { violations, operation, outcome, code } = error;
  const missing = violations.map(({ field }) => field).join(" and ");
  throw new InvalidInput(`The connection needs ${missing}.`, { violations, operation, outcome, code });
}

const yesNo = (value: boolean | undefined) => (value === undefined ? "unknown" : value ? "yes" : "no");

const minutes = (ms: number) => {
  const count = Math.floor(ms / 60_000);
  return count === 1 ? "1 minute" : `${count} minutes`;
};

function tokenLine({ ageMs, remainingMs }: TokenAge): string {
  const age = `${minutes(ageMs)} old`;
  return remainingMs > 0
    ? `${age}, expires in ${minutes(remainingMs)}`
    : `${age}, refreshed at the next call`;
}

function statusRows(profile: string | undefined, status: ConnectionStatus, age: TokenAge | undefined) {
  const { environment, address, clientId, contactId, reachable, authorised, error } = status;
  const rows = {
    Profile: profile,
    Environment: environment,
    Address: address,
    Client: clientId,
    Contact: contactId,
    Reachable: yesNo(reachable),
    Authorised: yesNo(authorised),
    "Access token": age ? tokenLine(age) : "age unknown",
    Error: error && printable(error.message),
  };
  return Object.entries(rows).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

export const whoamiCommand = (service: Service): Command => ({
  ...connectionAndProfileOptions(service),
  usage: "fxdesk whoami [flags]",
  description:
    "Shows the environment, address and client in use, and tests the connection with one read: whether the service is " +
    "reachable and accepts the credentials for this client. If not, the exit code is that of the error.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const options = clientOptions(await effectiveSettings(parsed, terminal, service), service);
    const client = asUsageError(() => createClient(options, service), service);
    try {
      const profile = requestedProfile(parsed, terminal);
      const status = await checkConnection(client).catch(throwIncomplete);
      const age = await readTokenAge(service, options);
      const result = { profile, ...status, ...(age && { accessToken: age }) };
      await printResult(parsed, terminal, result, `${columns(statusRows(profile, status, age))}\n`);
      return status.error && exitCodeOf(status.error);
    } finally {
      await client.close();
    }
  },
});
