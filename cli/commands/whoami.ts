/** fxdesk whoami: as whom and where commands call the service, and whether that works. */
import { createClient } from "../../core/client/client";
import { type TokenAge, tokenAge } from "../../core/client/login";
import { type Standing, standingOf } from "../../core/client/connection-check";
import type { Service } from "../../core/declaration/service";
import { type Command, jsonFlag } from "../command";
import { asUsageError, clientOptions, connectionHelp } from "../connection";
import { exitCodeOf, success } from "../exit";
import { columns, paragraph } from "../help";
import { callerFlags, profileHelp, profileNamed, settingsInForce } from "../profile";
import { printable, printJson, write } from "../terminal";

const yesNo = (value: boolean | undefined) => (value === undefined ? "not known" : value ? "yes" : "no");

const minutes = (ms: number) => {
  const whole = Math.floor(ms / 60_000);
  return whole === 1 ? "1 minute" : `${whole} minutes`;
};

function tokenLine({ ageMs, remainingMs }: TokenAge): string {
  const age = `${minutes(ageMs)} old`;
  return remainingMs > 0 ? `${age}, good for ${minutes(remainingMs)}` : `${age}, renewed by the next call`;
}

function rowsOf(profile: string | undefined, standing: Standing, age: TokenAge | undefined) {
  const { environment, address, clientId, contactId, reachable, authorised, error } = standing;
  const rows = {
    Profile: profile,
    Environment: environment,
    Address: address,
    Client: clientId,
    Contact: contactId,
    Reachable: yesNo(reachable),
    Authorised: yesNo(authorised),
    "Access token": age ? tokenLine(age) : "age not known",
    Because: error && printable(error.message),
  };
  return Object.entries(rows).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

export const whoamiCommand = (service: Service): Command => ({
  usage: "fxdesk whoami [flags]",
  description:
    "Says in which environment, where and for which client the service is called, and tries it by one read: whether it is " +
    "reached, and takes the credentials for this client. The exit code says so, too.",
  flags: [jsonFlag],
  unlisted: callerFlags(service),
  more: [connectionHelp(service), paragraph(profileHelp)],
  async run(parsed, terminal) {
    const options = clientOptions(await settingsInForce(parsed, terminal, service), service);
    const client = asUsageError(() => createClient(options, service), service);
    try {
      const profile = profileNamed(parsed, terminal);
      const standing = await standingOf(client);
      const age = await tokenAge(service, options);
      if (parsed.switched("json"))
        await printJson(terminal, { profile, ...standing, ...(age && { accessToken: age }) });
      else await write(terminal.stdout, `${columns(rowsOf(profile, standing, age))}\n`);
      return standing.error ? exitCodeOf(standing.error) : success;
    } finally {
      await client.close();
    }
  },
});
