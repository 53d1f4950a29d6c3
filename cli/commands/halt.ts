/** The commands `fxdesk halt` and `fxdesk resume`. */
import { hostname, userInfo } from "node:os";
import { actorSetting, storeSettingFields } from "../../core/call/settings";
import { settings as contractSettings } from "../../core/contract/settings";
import { startHalt, endHalts, type Halt, describeHalt, listHalts } from "../../core/store/halt";
import { parseStoreSettings, type StoreSettings } from "../../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "../command-line/arguments";
import { type Command, jsonFlag } from "../command-line/command";
import { asUsageError, settingFlags, settingsFrom, settingsHelp } from "../settings/connection-settings";
import { success } from "../command-line/exit-codes";
import { printJson, type Terminal, write } from "../terminal/terminal";

const settings = [...storeSettingFields, actorSetting];
const environments = contractSettings.find(({ name }) => name === "environment")?.options ?? [];
const environmentFlag: Flag = {
  name: "environment",
  value: `<${environments.join("|")}>`,
  description: "Only this environment. Default: all environments.",
};
const storeOptions = {
  hiddenFlags: settingFlags(settings),
  helpSections: [settingsHelp("Store", settings)],
} as const;

/** Checks the name, because a halt of a misspelt environment would stop nothing. */
function environmentFrom(parsed: ParsedArguments): string | undefined {
  const environment = parsed.string("environment");
  if (environment !== undefined && !environments.includes(environment))
    throw new UsageError(
      `--environment must be ${environments.join(" or ")}, not ${JSON.stringify(environment)}.`,
    );
  return environment;
}

/** Ignores FXDESK_ENVIRONMENT: variables select the store, not what is halted. */
const storeSettingsFrom = (given: Readonly<Record<string, string | undefined>>): StoreSettings =>
  asUsageError(() => parseStoreSettings(given));

/** Prints halts as JSON, or as one sentence each. */
async function print(
  parsed: ParsedArguments,
  terminal: Terminal,
  result: Readonly<Record<string, readonly Halt[]>>,
  lines: readonly string[],
): Promise<number> {
  if (parsed.boolean("json")) await printJson(terminal, result);
  else await write(terminal.stdout, `${lines.join("\n")}\n`);
  return success;
}

export const haltCommand: Command = {
  usage: "fxdesk halt [flags]",
  description:
    "Immediately stops all calls that change something or move money, in every process that shares the store, until you run " +
    "fxdesk resume. Calls that were already sent continue. Calls that only read are not affected.",
  flags: [
    { name: "reason", value: "<text>", description: "Reason, shown with every call that is stopped." },
    environmentFlag,
    jsonFlag,
  ],
  ...storeOptions,
  async run(parsed, terminal) {
    const environment = environmentFrom(parsed);
    const given = settingsFrom(parsed, terminal.environment);
    const by = given.actor ?? `${userInfo().username} on ${hostname()}`;
    const { withStore } = await import("../../core/store/open.js");
    const halt = await withStore(storeSettingsFrom(given), (store) =>
      startHalt(store, { environment, by, reason: parsed.string("reason") }),
    );
    return print(parsed, terminal, { halts: [halt] }, [
      `${describeHalt(halt)} To end the halt, run \`fxdesk resume\`.`,
    ]);
  },
};

export const resumeCommand: Command = {
  usage: "fxdesk resume [flags]",
  description: "Ends all halts, or the halt of one environment.",
  flags: [environmentFlag, jsonFlag],
  ...storeOptions,
  async run(parsed, terminal) {
    const environment = environmentFrom(parsed);
    const { withStore } = await import("../../core/store/open.js");
    const location = storeSettingsFrom(settingsFrom(parsed, terminal.environment));
    const [ended, halts] = await withStore(
      location,
      async (store) => [await endHalts(store, environment), await listHalts(store)] as const,
    );
    const message = ended.length === 0 ? "There was no halt." : "The halt has ended. Calls are sent again.";
    const remainingHalts = halts.map((each) => `Still in force: ${describeHalt(each)}`);
    return print(parsed, terminal, { ended, halts }, [
      halts.length > 0 && ended.length > 0 ? "One halt has ended." : message,
      ...remainingHalts,
    ]);
  },
};
