/** The `fxdesk completion` command: a script for the shell, generated from the commands and their flags. */
import { UsageError } from "../command-line/arguments";
import { type Command, type FindCommand, flagsOf, helpFlag } from "../command-line/command";
import { write } from "../terminal/terminal";

/** Loads a command by its first word. */
export type LoadedCommands = () => Promise<ReadonlyMap<string, Command | FindCommand>>;

const visibleFlags = (command: Command): string[] =>
  flagsOf({ ...command, hiddenFlags: [] })
    .concat(helpFlag)
    .map(({ name }) => `--${name}`);

/** Returns the words that may follow each sequence of words. */
async function completionsFrom(load: LoadedCommands): Promise<ReadonlyMap<string, readonly string[]>> {
  const commands = await load();
  const completions = new Map<string, readonly string[]>([["", [...commands.keys(), "help"]]]);
  for (const [name, loaded] of commands) {
    if (typeof loaded !== "function") {
      completions.set(name, visibleFlags(loaded));
      continue;
    }
    const { words = [] } = loaded;
    const [overview] = loaded([]);
    completions.set(name, [...words, ...visibleFlags(overview)]);
    for (const word of words) completions.set(`${name} ${word}`, visibleFlags(loaded([word])[0]));
  }
  return completions;
}

const bashScript = (completions: ReadonlyMap<string, readonly string[]>): string => `_fxdesk() {
  local word path="" words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${[...completions].map(([path, words]) => `    "${path}") words="${words.join(" ")}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _fxdesk fxdesk
`;

/** zsh runs the script of bash. */
const zshPreamble = "autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n";

export const completionCommand = (load: LoadedCommands): Command => ({
  usage: "fxdesk completion <bash|zsh>",
  description:
    'Prints a script that completes commands, operations and flags with the Tab key. Add eval "$(fxdesk completion bash)" to ' +
    "~/.bashrc, or the same with zsh to ~/.zshrc. It includes your extension.",
  operand: "<shell>",
  flags: [],
  async run({ operand }, { stdout }) {
    if (operand !== "bash" && operand !== "zsh")
      throw new UsageError(`The shell must be bash or zsh, not ${JSON.stringify(operand)}.`);
    const script = bashScript(await completionsFrom(load));
    await write(stdout, operand === "zsh" ? zshPreamble + script : script);
  },
});
