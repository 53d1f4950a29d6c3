/** fxdesk halt and fxdesk resume: stop what changes or moves money, and end that. */
import { hostname, userInfo } from "node:os";
import { actor, storeDeclaration } from "../../core/client/settings";
import { settings as contractSettings } from "../../core/contract/settings";
import { beginHalt, endHalts, type Halt, haltLine, haltsInForce } from "../../core/store/halt";
import { storeSettings, type StoreSettings } from "../../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import { asUsageError, settingFlags, settingsFrom, settingsHelp } from "../connection";
import { success } from "../exit";
import { printJson, type Terminal, write } from "../terminal";

const settings = [...storeDeclaration, actor];
const environments = contractSettings.find(({ name }) => name === "environment")?.options ?? [];
const environmentFlag: Flag = {
  name: "environment",
  value: `<${environments.join("|")}>`,
  description: "Only this environment; all of them by default.",
};
const shared = { unlisted: settingFlags(settings), more: [settingsHelp("Store", settings)] } as const;

/** One that is misspelt would stop nothing. */
function environmentFrom(parsed: ParsedArguments): string | undefined {
  const environment = parsed.text("environment");
  if (environment !== undefined && !environments.includes(environment))
    throw new UsageError(
      `--environment must be ${environments.join(" or ")}, not ${JSON.stringify(environment)}.`,
    );
  return environment;
}

/** What is set in the environment of the process says where the store is, not what is halted. */
const storeFrom = (given: Readonly<Record<string, string | undefined>>): StoreSettings =>
  asUsageError(() => storeSettings(given));

/** The halts as JSON, or one sentence for each. */
async function print(
  parsed: ParsedArguments,
  terminal: Terminal,
  result: Readonly<Record<string, readonly Halt[]>>,
  lines: readonly string[],
): Promise<number> {
  if (parsed.switched("json")) await printJson(terminal, result);
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
  ...shared,
  async run(parsed, terminal) {
    const environment = environmentFrom(parsed);
    const given = settingsFrom(parsed, terminal.environment);
    const by = given.actor ?? `${userInfo().username} on ${hostname()}`;
    const { withStore } = await import("../../core/store/open.js");
    const halted = await withStore(storeFrom(given), (store) =>
      beginHalt(store, { environment, by, reason: parsed.text("reason") }),
    );
    return print(parsed, terminal, { halts: [halted] }, [`${haltLine(halted)} fxdesk resume ends that.`]);
  },
};

export const resumeCommand: Command = {
  usage: "fxdesk resume [flags]",
  description: "Ends what fxdesk halt began: every halt, or that of one environment.",
  flags: [environmentFlag, jsonFlag],
  ...shared,
  async run(parsed, terminal) {
    const environment = environmentFrom(parsed);
    const { withStore } = await import("../../core/store/open.js");
    const place = storeFrom(settingsFrom(parsed, terminal.environment));
    const [ended, halts] = await withStore(
      place,
      async (store) => [await endHalts(store, environment), await haltsInForce(store)] as const,
    );
    const first = ended.length === 0 ? "Nothing was halted." : "Calls leave again.";
    const still = halts.map((each) => `Still in force: ${haltLine(each)}`);
    return print(parsed, terminal, { ended, halts }, [
      halts.length > 0 && ended.length > 0 ? "Ended." : first,
      ...still,
    ]);
  },
};
