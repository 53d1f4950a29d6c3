/** The `fxdesk profiles` command. */
import { profilesPath, readProfiles } from "../../core/http/profiles";
import { type Command, jsonFlag } from "../command-line/command";
import { success } from "../command-line/exit-codes";
import { table } from "../terminal/table";
import { printJson, write, writeStderr } from "../terminal/terminal";

export const profilesCommand: Command = {
  usage: "fxdesk profiles [flags]",
  description: `Lists the profiles saved by fxdesk login, from the file ${profilesPath()}.`,
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
    else await writeStderr(terminal, "There are no profiles yet. Run fxdesk login to create one.\n");
    return success;
  },
};
