/** fxdesk halt and fxdesk resume: stop what changes or moves money, and end that. */
import { hostname, userInfo } from "node:os";
import { actorSetting, storeSettingFields } from "../../core/client/settings";
import { settings as contractSettings } from "../../core/contract/settings";
import { startHalt, endHalts, type Halt, describeHalt, listHalts } from "../../core/store/halt";
import { parseStoreSettings, type StoreSettings } from "../../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import { asUsageError, settingFlags, settingsFrom, settingsHelp } from "../connection-settings";
import { success } from "../exit-codes";
import { printJson, type Terminal, write } from "../terminal";

const settings = [...storeSettingFields, actorSetting];
const environments = contractSettings.find(({ name }) => name === "environment")?.options ?? [];
const environmentFlag: Flag = {
  name: "environment",
  value: `<${environments.join("|")}>`,
  description: "Only this environment; all of them by default.",
};
const storeOptions = {
  hiddenFlags: settingFlags(settings),
  helpSections: [settingsHelp("Store", settings)],
} as const;

/** One that is misspelt would stop nothing. */
function environmentFrom(parsed: ParsedArguments): string | undefined {
  const environment = parsed.string("environment");
  if (environment !== undefined && !environments.includes(environment))
    throw new UsageError(
      `--environment must be ${environments.join(" or ")}, not ${JSON.stringify(environment)}.`,
    );
  return environment;
}

/** What is set in the environment of the process says where the store is, not what is halted. */
const storeSettingsFrom = (given: Readonly<Record<string, string | undefined>>): StoreSettings =>
  asUsageError(() => parseStoreSettings(given));

/** The halts as JSON, or one sentence for each. */
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
    "Stops all that changes something or moves money, at once, for everything that shares the store: no such call leaves " +
    "until fxdesk resume. What has left goes on, and reads are made as before.",
  flags: [
    { name: "reason", value: "<text>", description: "Why: whoever is stopped reads it." },
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
  description: "Ends what fxdesk halt began: every halt, or that of one environment.",
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
    const message = ended.length === 0 ? "Nothing was halted." : "Calls leave again.";
    const remainingHalts = halts.map((each) => `Still in force: ${describeHalt(each)}`);
    return print(parsed, terminal, { ended, halts }, [
      halts.length > 0 && ended.length > 0 ? "Ended." : message,
      ...remainingHalts,
    ]);
  },
};
