/** The `fxdesk config` command: shows the settings in force, and where each comes from. */
import {
  environmentName,
  extensionVariables,
  settingsFromEnvironment,
  settingsOf,
} from "../../core/call/settings";
import { proxyVariables } from "../../core/http/network";
import type { Service, Setting } from "../../core/spec/service";
import { redactLocation } from "../../core/store/settings";
import { flagName, type ParsedArguments } from "../command-line/arguments";
import { type Command, jsonFlag, printResult } from "../command-line/command";
import { asUsageError, settingsFromFlags } from "../settings/connection-settings";
import { connectionAndProfileOptions, loadProfile, requestedProfile } from "../settings/profile";
import { table } from "../terminal/table";
import type { Terminal } from "../terminal/terminal";

interface SettingInForce {
  readonly setting: string;
  /** "set" for a secret. */
  readonly value: string;
  readonly source: string;
}

function shownValue({ name, secret, shape }: Setting, value: string): string {
  if (secret) return "set";
  // A call refuses an address with a password, which must not be shown either.
  if (shape === "address") return value.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/i, "$1");
  return name === "store" ? redactLocation(value) : value;
}

async function settingsInForce(
  service: Service,
  parsed: ParsedArguments,
  terminal: Terminal,
): Promise<readonly SettingInForce[]> {
  const { environment } = terminal;
  const flags = settingsFromFlags(parsed, service);
  const variables = asUsageError(() => settingsFromEnvironment(environment, service), service);
  const profile = requestedProfile(parsed, terminal);
  const ofProfile = profile === undefined ? {} : (await loadProfile(profile, parsed, terminal)).settings;
  const ofService = new Set(service.settings.map(({ name }) => name));
  return settingsOf(service).flatMap((setting) => {
    const { name, default: fallback } = setting;
    const found = (value: string, source: string) => [
      { setting: name, value: shownValue(setting, value), source },
    ];
    if (flags[name] !== undefined) return found(flags[name], `--${flagName(name)}`);
    // A profile replaces the environment's settings of the service.
    if (profile !== undefined && ofService.has(name)) {
      if (ofProfile[name] !== undefined) return found(ofProfile[name], `profile ${profile}`);
    } else if (variables[name] !== undefined) return found(variables[name], environmentName(name));
    return fallback === undefined ? [] : found(fallback, "default");
  });
}

export const configCommand = (service: Service): Command => ({
  ...connectionAndProfileOptions(service),
  usage: "fxdesk config [flags]",
  description:
    'Shows the settings in force, and the flag, profile or environment variable that each comes from. Secrets are shown as "set". ' +
    "Sends nothing.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const { environment, stdout } = terminal;
    const settings = await settingsInForce(service, parsed, terminal);
    const isSet = (name: string) => settings.some(({ setting }) => setting === name);
    const standard = proxyVariables(environment).flatMap(({ setting, variable, value }) =>
      isSet(setting) ? [] : [{ setting, value, source: variable }],
    );
    const extensions = Object.values(extensionVariables).flatMap((name) => {
      const value = environment[name];
      return value ? [{ setting: "extensions", value, source: name }] : [];
    });
    const all = [...settings, ...standard, ...extensions];
    await printResult(parsed, terminal, all, table(all, { width: stdout.columns }));
  },
});
