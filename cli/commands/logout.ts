/** fxdesk logout: the tokens and secrets of a profile are forgotten. */
import { logOut } from "../../core/client/login";
import { storeSettingFields } from "../../core/client/settings";
import { updateProfile } from "../../core/credentials/profiles";
import type { Service } from "../../core/declaration/service";
import { type Command, jsonFlag } from "../command";
import { clientOptions, settingFlags, settingsFromFlags, settingsHelp } from "../connection-settings";
import { success } from "../exit-codes";
import { requiredProfile, profileFlag, loadProfile } from "../profile";
import { printJson, write } from "../terminal";

export const logoutCommand = (service: Service): Command => ({
  usage: "fxdesk logout --profile <name> [flags]",
  description:
    "Forgets the tokens and secrets of a profile on this machine. The service is not told: what runs keeps the access token " +
    "that it has until that ends, an hour at most, and gets no other. The other settings of the profile stay for the next login.",
  flags: [{ ...profileFlag, description: "Whose." }, jsonFlag],
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
        wasLoggedIn
          ? `Logged out of the profile ${name}.\n`
          : `Nobody was logged in to the profile ${name}.\n`,
      );
    return success;
  },
});
