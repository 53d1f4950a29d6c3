/** fxdesk store: the database in which fxdesk keeps what has to outlive a process. */
import { storeDeclaration } from "../../core/client/settings";
import { storeSettings } from "../../core/store/settings";
import { UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import { asUsageError, settingFlags, settingsFrom, settingsHelp } from "../connection";
import { success } from "../exit";
import { columns } from "../help";
import { printJson, write } from "../terminal";

const unsound = 1;

const check: Command = {
  usage: "fxdesk store check [flags]",
  description: "Opens the store, makes it where there is none, and says what in it cannot be read.",
  flags: [jsonFlag],
  unlisted: settingFlags(storeDeclaration),
  more: [settingsHelp("Store", storeDeclaration)],
  async run(parsed, terminal) {
    const settings = asUsageError(() => storeSettings(settingsFrom(parsed, terminal.environment)));
    const { checkStore } = await import("../../core/store/check.js");
    const found = await checkStore(settings);
    if (parsed.switched("json")) await printJson(terminal, found);
    else {
      const rows = [
        ["Store", found.store],
        ["Tables", `version ${found.version}`],
        ["Encrypted", found.encrypted ? "yes" : "no"],
        ["Connections with tokens", String(found.tokens)],
        ...found.faults.map((fault) => ["Fault", fault] as const),
      ] as const;
      await write(terminal.stdout, `${columns(rows)}\n`);
    }
    return found.faults.length === 0 ? success : unsound;
  },
};

/** The command that the first word names, and its arguments. */
export function storeCommand([word = "", ...args]: readonly string[]): readonly [Command, readonly string[]] {
  if (word === "check") return [check, args];
  if (word === "--help" || word === "-h") return [check, ["--help"]];
  throw new UsageError("fxdesk store check is what there is; fxdesk store --help explains it.");
}
