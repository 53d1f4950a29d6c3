/** fxdesk sandbox <control>: what can be done to a sandbox that runs. */
import type { Declaration } from "../../core/operations/declaration";
import { UsageError } from "../arguments";
import { callFlags } from "../call/command";
import { fieldFlags, longValuesHelp } from "../call/fields";
import type { Command } from "../command";
import { connectionFlags } from "../connection";
import { columns, section } from "../help";
import { flagName } from "../names";
import { nearest } from "../nearest";

/** `sandbox.payIn` is fxdesk sandbox pay-in. */
const commandName = ({ name }: Declaration): string => flagName(name.slice(name.indexOf(".") + 1));

/** What a person reads about the controls in the help. */
export const controlsHelp = (controls: readonly Declaration[]): string =>
  section(
    "Controls of a sandbox that runs, each with its own --help",
    columns(controls.map((control) => [commandName(control), control.summary] as const)),
  )!;

function commandFor(control: Declaration, usualUrl: string): Command {
  const [fields, flags] = [fieldFlags(control), callFlags(control)];
  const taken = new Set([...fields, ...flags].map(({ name }) => name));
  const { rules = [] } = control;
  const baseUrl = connectionFlags.filter(({ name }) => name === "base-url");
  return {
    usage: `fxdesk sandbox ${commandName(control)} [flags]`,
    says: control.summary,
    fields,
    flags: [...flags, ...baseUrl],
    unlisted: connectionFlags.filter(({ name }) => !taken.has(name) && name !== "base-url"),
    more: [
      longValuesHelp(control),
      section("Rules", rules.length > 0 ? columns(rules.map(({ says }) => ["-", says] as const)) : undefined),
      `The sandbox is looked for at FXDESK_BASE_URL, else at ${usualUrl}.`,
    ],
    run: async (given, terminal) =>
      (await import("../call/run.js")).runCall(control, taken, given, terminal, { baseUrl: usualUrl }),
  };
}

/** The command of a control. Throws a UsageError when there is none of the name. */
export function controlCommand(name: string, controls: readonly Declaration[], usualUrl: string): Command {
  const control = controls.find((known) => commandName(known) === name);
  if (control) return commandFor(control, usualUrl);
  const near = nearest(name, controls.map(commandName));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "fxdesk sandbox --help lists them.";
  throw new UsageError(`There is no control ${JSON.stringify(name)}. ${hint}`);
}
