/** A command that changes the people file: its credentials, and the report of the change. */
import { type Credentials, PeopleRefusal } from "../../core/people/authenticate";
import type { PeopleChange } from "../../core/people/change-people";
import type { Flag, ParsedArguments } from "../command-line/arguments";
import type { MemberCommand } from "../command-line/command";
import { refusalAsUsage, settingsFrom } from "../settings/connection-settings";
import { mailSettingsFrom, throwMailUsage } from "../settings/mail-settings";
import { peoplePath } from "../settings/people-settings";
import { secretPrompts } from "../settings/secret";
import { type Terminal, write, writeStderr } from "../terminal/terminal";

export const byFlag: Flag = {
  name: "by",
  value: "<name>",
  description: "The administrator who makes the change and whose secret is asked for.",
};

/** What a change needs. */
export interface ChangeInput {
  readonly name: string;
  readonly path: string;
  readonly parsed: ParsedArguments;
  readonly terminal: Terminal;
  readonly readNewSecret: (prompt: string) => Promise<string>;
  readonly readCode: (prompt: string) => Promise<string>;
  /** Prompts for the secret of --by, or without it for that of the person. */
  readonly credentials: () => Promise<Credentials>;
}

/**
 * Mails a change to the person, if they had an address. A failure only prints a line, because the change was made. Returns the
 * text to print: `text`, or how to confirm a change that waits.
 */
export async function report(change: PeopleChange, text: string, terminal: Terminal): Promise<string> {
  const { pending } = change;
  if (!pending) {
    await mailChange(change, terminal);
    return text;
  }
  const { id, until } = pending;
  return `Nothing was changed yet: ${id} waits until ${until} for another administrator (fxdesk people confirm ${id} --by <name>).`;
}

async function mailChange(change: PeopleChange, terminal: Terminal): Promise<void> {
  const { address, person } = change;
  if (address === undefined) return;
  const settings = mailSettingsFrom(terminal);
  if (!settings) return writeStderr(terminal, `${person} was not notified: no mail server is set.\n`);
  const { mailPeopleChange } = await import("../../core/mail/people-mail.js");
  try {
    await mailPeopleChange(settings, address, change).catch(throwMailUsage);
  } catch (error) {
    await writeStderr(terminal, `${person} was not notified: ${(error as Error).message}\n`);
  }
}

/** Returns a command that changes a person and prints a text. */
export const personCommand = (
  declared: Omit<MemberCommand, "run">,
  change: (input: ChangeInput) => Promise<string>,
): MemberCommand => ({
  operand: "<name>",
  ...declared,
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const { read, readNew } = secretPrompts(terminal);
    const name = parsed.operand;
    const credentials = async () => {
      const person = parsed.string(byFlag.name) ?? name;
      return { person, secret: await read(`Secret of ${person}: `) };
    };
    const input = { name, path, parsed, terminal, readNewSecret: readNew, readCode: read, credentials };
    const text = await refusalAsUsage(PeopleRefusal, () => change(input));
    await write(terminal.stdout, `${text}\n`);
  },
});
