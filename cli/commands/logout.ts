/** The `fxdesk logout` command. */
import { logOut } from "../../core/client/login";
import { storeSettingFields } from "../../core/call/settings";
import { updateProfile } from "../../core/http/profiles";
import type { Service } from "../../core/spec/service";
import { type Command, jsonFlag } from "../command-line/command";
import {
  clientOptions,
  settingFlags,
  settingsFromFlags,
  settingsHelp,
} from "../settings/connection-settings";
import { success } from "../command-line/exit-codes";
import { requiredProfile, profileFlag, loadProfile } from "../settings/profile";
import { printJson, write } from "../terminal/terminal";

export const logoutCommand = (service: Service): Command => ({
  usage: "fxdesk logout --profile <name> [flags]",
  description:
    "Deletes the tokens and secrets of a profile on this machine. They are not revoked at the service: running processes can use " +
    "their access token until it expires, after one hour at most. The profile keeps its other settings for the next login.",
  flags: [{ ...profileFlag, description: "Profile to log out." }, jsonFlag],
  hiddenFlags: settingFlags(storeSettingFields),
  helpSections: [settingsHelp("Store", storeSettingFields)],
  async run(parsed, terminal) {
    const name = requiredProfile(parsed, terminal);
    const { settings, isLoggedIn: wasLoggedIn } = await loadProfile(name, parsed, terminal);
    await logOut(service, clientOptions({ ...settings, ...settingsFromFlags(parsed) }, service));
    await updateProfile(name, (found) => found && { settings: found.settings });
    if (parsed.boolean("json")) await printJson(terminal, { profile: name, wasLoggedIn });
    else
      await write(
        terminal.stdout,
        wasLoggedIn ? `Logged out of the profile ${name}.\n` : `The profile ${name} was not logged in.\n`,
      );
    return success;
  },
});
