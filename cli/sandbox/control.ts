/** The commands `fxdesk sandbox <control>` for a running sandbox. */
import { environmentName } from "../../core/call/settings";
import { type Declaration, mayRespondWith } from "../../core/spec/operation";
import type { Service } from "../../core/spec/service";
import { type Flag, UsageError, flagName } from "../command-line/arguments";
import { callFlags, inputFlag } from "../call/command";
import { fieldFlags, longValuesHelp } from "../call/field-flags";
import type { Command } from "../command-line/command";
import { connectionFlags } from "../settings/connection-settings";
import { columns, section } from "../command-line/help";
import { suggestions } from "../../core/values/suggestions";

/** Returns the command of a control: `sandbox.payIn` is pay-in. */
const commandName = ({ name }: Declaration): string => flagName(name.slice(name.indexOf(".") + 1));

/** Renders the help section for the controls. */
export const controlsHelp = (controls: readonly Declaration[]): string =>
  section(
    "Controls of a running sandbox (add --help for details)",
    columns(controls.map((control) => [commandName(control), control.summary] as const)),
  )!;

/** Returns the flag for a file given without one: --output if the control returns a file, otherwise --input. */
function fileFlagOf(control: Declaration): string | undefined {
  if (mayRespondWith(control, "file")) return "output";
  return control.body ? inputFlag.name : undefined;
}

/** Expands `save world.json` to save --output=world.json, and `load world.json` to load --input=world.json. */
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
      fileFlagOf(control) && `<file> is the value of --${fileFlagOf(control)}.`,
      longValuesHelp(control),
      section(
        "Rules",
        rules.length > 0 ? columns(rules.map(({ description }) => ["-", description] as const)) : undefined,
      ),
      `Controls the sandbox at ${environmentName(address)}. Default: ${defaultUrl}.`,
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

/** Returns the command of a control, with its arguments as flags. Throws a UsageError for an unknown control. */
export function controlCommand(
  [name, ...args]: readonly [string, ...string[]],
  controls: readonly Declaration[],
  service: Service,
  defaultUrl: string,
): [Command, readonly string[]] {
  const control = controls.find((known) => commandName(known) === name);
  if (control) return [commandFor(control, service, defaultUrl), withFileFlag(control, args)];
  const near = suggestions(name, controls.map(commandName));
  const hint =
    near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Run fxdesk sandbox --help for a list.";
  throw new UsageError(`There is no control ${JSON.stringify(name)}. ${hint}`);
}
