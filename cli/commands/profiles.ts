/** fxdesk profiles: who is logged in where. */
import { profilesPath, readProfiles } from "../../core/credentials/profiles";
import { type Command, jsonFlag } from "../command";
import { success } from "../exit-codes";
import { table } from "../table";
import { printJson, write, writeStderr } from "../terminal";

export const profilesCommand: Command = {
  usage: "fxdesk profiles [flags]",
  description: `Lists the profiles of fxdesk login. They are in ${profilesPath()}.`,
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const profiles = [...(await readProfiles())].map(([name, { settings, loggedInAt }]) => {
      const { environment, domain, baseUrl, clientId } = settings;
      return { profile: name, environment, service: baseUrl ?? domain, clientId, loggedInAt };
    });
    const { stdout } = terminal;
    if (parsed.boolean("json")) await printJson(terminal, profiles);
    else if (profiles.length > 0)
      await write(stdout, table(profiles, stdout.isTTY ? stdout.columns : undefined));
    else await writeStderr(terminal, "There is no profile yet: fxdesk login makes one.\n");
    return success;
  },
};
