/** The commands `fxdesk halt` and `fxdesk resume`. */
import { hostname, userInfo } from "node:os";
import { actorSetting, storeSettingFields } from "../../core/call/settings";
import { settings as contractSettings } from "../../core/contract/settings";
import { startHalt, endHalts, describeHalt, listHalts } from "../../core/store/halt";
import { choiceFrom, type Flag } from "../command-line/arguments";
import { type Command, jsonFlag, printResult } from "../command-line/command";
import { settingOptions, settingsFrom, useStore } from "../settings/connection-settings";

const environments = contractSettings.find(({ name }) => name === "environment")?.options ?? [];
const environmentFlag: Flag = {
  name: "environment",
  value: `<${environments.join("|")}>`,
  description: "Only this environment. Default: all environments.",
};
const options = settingOptions("Store", [...storeSettingFields, actorSetting]);

export const haltCommand: Command = {
  ...options,
  usage: "fxdesk halt [flags]",
  description:
    "Immediately stops all money calls and calls that change something, in every process that shares the store, until you run " +
    "fxdesk resume. Calls that were already sent continue. Calls that only read are not affected.",
  flags: [
    { name: "reason", value: "<text>", description: "Reason, shown with every call that is stopped." },
    environmentFlag,
    jsonFlag,
  ],
  async run(parsed, terminal) {
    // FXDESK_ENVIRONMENT is ignored: variables select the store, not what is halted.
    const environment = choiceFrom(parsed, "environment", environments);
    const { actor } = settingsFrom(parsed, terminal.environment);
    const by = actor ?? `${userInfo().username} on ${hostname()}`;
    const halt = await useStore(parsed, terminal, (store) =>
      startHalt(store, { environment, by, reason: parsed.string("reason") }),
    );
    const text = `${describeHalt(halt)} To end the halt, run \`fxdesk resume\`.\n`;
    await printResult(parsed, terminal, { halts: [halt] }, text);
  },
};

export const resumeCommand: Command = {
  ...options,
  usage: "fxdesk resume [flags]",
  description: "Ends all halts, or the halt of one environment.",
  flags: [environmentFlag, jsonFlag],
  async run(parsed, terminal) {
    const environment = choiceFrom(parsed, "environment", environments);
    const [ended, halts] = await useStore(
      parsed,
      terminal,
      async (store) => [await endHalts(store, environment), await listHalts(store)] as const,
    );
    const where = environment === undefined ? "" : ` of the environment ${environment}`;
    const message =
      ended.length === 0 ? `There was no halt${where}.` : "The halt has ended. Calls are sent again.";
    const lines = [
      halts.length > 0 && ended.length > 0 ? "One halt has ended." : message,
      ...halts.map((each) => `Another halt is still in force: ${describeHalt(each)}`),
    ];
    await printResult(parsed, terminal, { ended, halts }, `${lines.join("\n")}\n`);
  },
};
