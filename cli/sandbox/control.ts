/** fxdesk sandbox <control>: what can be done to a sandbox that runs. */
import { environmentName } from "../../core/client/settings";
import { type Declaration, mayRespondWith } from "../../core/declaration/operation";
import type { Service } from "../../core/declaration/service";
import { type Flag, UsageError } from "../arguments";
import { callFlags, inputFlag } from "../call/command";
import { fieldFlags, longValuesHelp } from "../call/field-flags";
import type { Command } from "../command";
import { connectionFlags } from "../connection-settings";
import { columns, section } from "../help";
import { flagName } from "../flag-names";
import { suggestions } from "../../core/suggestions";

/** `sandbox.payIn` is fxdesk sandbox pay-in. */
const commandName = ({ name }: Declaration): string => flagName(name.slice(name.indexOf(".") + 1));

/** What a person reads about the controls in the help. */
export const controlsHelp = (controls: readonly Declaration[]): string =>
  section(
    "Controls of a sandbox that runs, each with its own --help",
    columns(controls.map((control) => [commandName(control), control.summary] as const)),
  )!;

/** The flag that a file goes to which is named without one: where a returned file goes, or else from where fields are read. */
function fileFlagOf(control: Declaration): string | undefined {
  if (mayRespondWith(control, "file")) return "output";
  return control.body ? inputFlag.name : undefined;
}

/** `save world.json` is save --output world.json, and `load world.json` is load --input world.json. */
function withFileFlag(control: Declaration, args: readonly string[]): readonly string[] {
  const [file, ...rest] = args;
  const flag = fileFlagOf(control);
  if (file === undefined || flag === undefined || file.startsWith("-")) return args;
  return [`--${flag}=${file}`, ...rest];
}

function commandFor(control: Declaration, service: Service, defaultUrl: string): Command {
  const [fields, flags] = [fieldFlags(control), callFlags(control)];
  const reservedFlags = new Set([...fields, ...flags].map(({ name }) => name));
  const { rules = [] } = control;
  const address = service.servers[control.server]!.setting;
  const isAddress = ({ name }: Flag) => name === flagName(address);
  const connection = connectionFlags(service);
  return {
    usage: `fxdesk sandbox ${commandName(control)} ${fileFlagOf(control) ? "[<file>] " : ""}[flags]`,
    description: control.summary,
    fields,
    flags: [...flags, ...connection.filter(isAddress)],
    hiddenFlags: connection.filter((flag) => !reservedFlags.has(flag.name) && !isAddress(flag)),
    helpSections: [
      fileFlagOf(control) && `<file> is that of --${fileFlagOf(control)}.`,
      longValuesHelp(control),
      section(
        "Rules",
        rules.length > 0 ? columns(rules.map(({ description }) => ["-", description] as const)) : undefined,
      ),
      `The sandbox is looked for at ${environmentName(address)}, else at ${defaultUrl}.`,
    ],
    run: async (parsed, terminal) =>
      (await import("../call/run.js")).runCall(
        control,
        { service, reservedFlags, defaultSettings: { [address]: defaultUrl } },
        parsed,
        terminal,
      ),
  };
}

/** The command of a control, and its arguments as flags. Throws a UsageError when there is none of the name. */
export function controlCommand(
  [name, ...args]: readonly [string, ...string[]],
  controls: readonly Declaration[],
  service: Service,
  defaultUrl: string,
): [Command, readonly string[]] {
  const control = controls.find((known) => commandName(known) === name);
  if (control) return [commandFor(control, service, defaultUrl), withFileFlag(control, args)];
  const near = suggestions(name, controls.map(commandName));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "fxdesk sandbox --help lists them.";
  throw new UsageError(`There is no control ${JSON.stringify(name)}. ${hint}`);
}
