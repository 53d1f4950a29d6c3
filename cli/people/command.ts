/** The `fxdesk people` commands: who may request and release, and who administers that. */
import { releaseSettingFields } from "../../core/call/settings";
import {
  addPerson,
  byRoot,
  changeSecret,
  createPeople,
  issueToken,
  lockPerson,
  type PeopleChange,
  removePerson,
  removeTotp,
  revokeToken,
  setAdministrator,
  setMailAddress,
  setTotp,
  unlockPerson,
} from "../../core/people/administration";
import { type Attempt, listAttempts } from "../../core/people/attempts";
import { type Credentials, PeopleRefusal } from "../../core/people/authenticate";
import { loadPeople, type People } from "../../core/people/people-file";
import { createTotpSeed, totpUri } from "../../core/people/totp";
import { type Flag, type ParsedArguments, requiredText, UsageError } from "../command-line/arguments";
import {
  commandGroup,
  type FindCommand,
  jsonFlag,
  type MemberCommand,
  printResult,
} from "../command-line/command";
import { refusalAsUsage, settingOptions, settingsFrom } from "../settings/connection-settings";
import { mailHelp, mailSettingsFrom, throwMailUsage } from "../settings/mail-settings";
import { peoplePath } from "../settings/people-settings";
import { secretPrompts } from "../settings/secret";
import { table } from "../terminal/table";
import { type Terminal, write, writeStderr } from "../terminal/terminal";

const peopleSettings = settingOptions(
  "People",
  releaseSettingFields.filter(({ name }) => name === "people"),
);
export const options = { ...peopleSettings, helpSections: [mailHelp, ...peopleSettings.helpSections] };

export const byFlag: Flag = {
  name: "by",
  value: "<name>",
  description: "The administrator who makes the change and whose secret is asked for.",
};

/** What a change needs. */
interface ChangeInput {
  readonly name: string;
  readonly path: string;
  readonly parsed: ParsedArguments;
  readonly terminal: Terminal;
  readonly readNewSecret: (prompt: string) => Promise<string>;
  readonly readCode: (prompt: string) => Promise<string>;
  /** Prompts for the secret of --by, or without it for that of the person. */
  readonly credentials: () => Promise<Credentials>;
}

/** Mails a change to the person, if they had an address. A failure only prints a line, because the change was made. */
async function notify(change: PeopleChange, terminal: Terminal): Promise<void> {
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
  declared: Omit<MemberCommand, "operand" | "run">,
  change: (input: ChangeInput) => Promise<string>,
): MemberCommand => ({
  ...declared,
  operand: "<name>",
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

const add = personCommand(
  {
    description:
      "Adds a person. The first one creates the file and becomes its administrator; later ones need --by. Prompts for the secret " +
      "of the administrator and for the new secret, or reads one line each from standard input.",
    flags: [
      byFlag,
      { name: "requester", description: "Without a secret: the person can request, but not release." },
    ],
  },
  async ({ name, path, parsed, terminal, readNewSecret, credentials }) => {
    const isRequester = parsed.boolean("requester") ?? false;
    const administrator = parsed.string(byFlag.name) === undefined ? undefined : await credentials();
    if (!administrator && isRequester)
      throw new UsageError("--by <name> is required: the first person needs a secret.");
    const secret = isRequester ? undefined : await readNewSecret(`New secret of ${name}: `);
    if (!administrator) {
      await createPeople(path, name, secret!);
      return `${name} was added to ${path} as administrator.`;
    }
    await notify(await addPerson(path, name, secret, administrator), terminal);
    return `${name} was added.`;
  },
);

const secretCommand = personCommand(
  {
    description:
      "Replaces a secret. Asks for the old secret, or with --by for that of an administrator. Sessions and open decisions of the " +
      "person become invalid.",
    flags: [
      byFlag,
      {
        name: "reset",
        description: "Without the old secret: only as root, and only while one person has a secret.",
      },
    ],
  },
  async ({ name, path, parsed, terminal, readNewSecret, credentials }) => {
    const by = parsed.boolean("reset") ? byRoot : await credentials();
    const secret = await readNewSecret(`New secret of ${name}: `);
    await notify(await changeSecret(path, name, secret, by), terminal);
    return `The secret of ${name} was replaced.`;
  },
);

const remove = personCommand(
  {
    requiredFlags: "--by <name>",
    description: "Removes a person with their secret and token. Their open decisions become invalid.",
    flags: [byFlag],
  },
  async ({ name, path, parsed, terminal, credentials }) => {
    requiredText(parsed, byFlag);
    await notify(await removePerson(path, name, await credentials()), terminal);
    return `${name} was removed.`;
  },
);

const lock = personCommand(
  {
    description:
      "Locks a person at once: their secret, token, sessions and open decisions become invalid. People can lock themselves.",
    flags: [byFlag],
  },
  async ({ name, path, terminal, credentials }) => {
    await notify(await lockPerson(path, name, await credentials()), terminal);
    return `${name} is locked.`;
  },
);

const unlock = personCommand(
  {
    requiredFlags: "--by <name>",
    description: "Unlocks a person. Earlier decisions and sessions stay invalid.",
    flags: [byFlag],
  },
  async ({ name, path, parsed, terminal, credentials }) => {
    requiredText(parsed, byFlag);
    await notify(await unlockPerson(path, name, await credentials()), terminal);
    return `${name} is unlocked.`;
  },
);

const administrator = personCommand(
  {
    requiredFlags: "--by <name>",
    description: "Makes a person an administrator, who can change the people file for others.",
    flags: [byFlag, { name: "remove", description: "End it instead." }],
  },
  async ({ name, path, parsed, terminal, credentials }) => {
    requiredText(parsed, byFlag);
    const isAdministrator = !parsed.boolean("remove");
    await notify(await setAdministrator(path, name, isAdministrator, await credentials()), terminal);
    return isAdministrator ? `${name} is an administrator.` : `${name} is no administrator any more.`;
  },
);

const mailFlag: Flag = { name: "mail", value: "<address>", description: "E-mail address for notifications." };

const address = personCommand(
  {
    requiredFlags: "--mail <address>",
    description:
      "Sets the e-mail address of a person, for notifications of requests that wait for their decision, of decisions on their own " +
      "requests, and of changes of their entry.",
    flags: [mailFlag, byFlag, { name: "remove", description: "Delete the address." }],
  },
  async ({ name, path, parsed, terminal, credentials }) => {
    const isRemoved = parsed.boolean("remove") ?? false;
    const mail = isRemoved ? undefined : requiredText(parsed, mailFlag);
    await notify(await setMailAddress(path, name, mail, await credentials()), terminal);
    return isRemoved
      ? `The e-mail address of ${name} was deleted.`
      : `The e-mail address of ${name} is ${mail}.`;
  },
);

const token = personCommand(
  {
    description:
      "Creates a personal token that identifies a requester to fxdesk mcp --http, and prints it once. It replaces the previous " +
      "token. It cannot be used to release.",
    flags: [byFlag, { name: "revoke", description: "Delete the token instead of creating one." }],
  },
  async ({ name, path, parsed, terminal, credentials }) => {
    if (parsed.boolean("revoke")) {
      await notify(await revokeToken(path, name, await credentials()), terminal);
      return `The token of ${name} was deleted.`;
    }
    const created = await issueToken(path, name, await credentials());
    await writeStderr(terminal, `Token of ${name}, shown only once; ${path} stores its hash:\n`);
    return created;
  },
);

const totp = personCommand(
  {
    description:
      "Sets up one-time codes for your releases: prints the address (otpauth) that an authenticator app reads, once, and asks for " +
      "your secret and a first code.",
    flags: [byFlag, { name: "remove", description: "Remove the codes of a person, as an administrator." }],
  },
  async ({ name, path, parsed, terminal, readCode, credentials }) => {
    if (parsed.boolean("remove")) {
      await notify(await removeTotp(path, name, await credentials()), terminal);
      return `The codes of ${name} were removed.`;
    }
    const by = await credentials();
    const seed = createTotpSeed();
    await write(terminal.stdout, `${totpUri(name, seed)}\n`);
    const code = await readCode(`First code of ${name}: `);
    await notify(await setTotp(path, name, { seed, code }, by), terminal);
    return `${name} can release with codes.`;
  },
);

const toRows = ({ people, administrators }: People) =>
  Object.entries(people).map(([name, person]) => ({
    name,
    can_release: person.secret !== undefined && person.lockedSince === undefined,
    administrator: administrators.includes(name),
    token: person.token !== undefined,
    codes: person.totp !== undefined,
    address: person.address,
    locked_since: person.lockedSince,
  }));

const list: MemberCommand = {
  description: "Lists the people, without their secrets. With --log, lists the changes of the file.",
  flags: [{ name: "log", description: "List the changes instead: what, whose, by whom." }, jsonFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const people = await refusalAsUsage(PeopleRefusal, () => loadPeople(path));
    const rows = parsed.boolean("log") ? people.log : toRows(people);
    await printResult(parsed, terminal, rows, table(rows, terminal.stdout.columns));
  },
};

const attempts: MemberCommand = {
  description:
    "Lists the checks of secrets and tokens, newest first: when, where from, of whom, and the result.",
  flags: [{ name: "failed", description: "Only those that failed." }, jsonFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const isShown = ({ result }: Attempt) => !parsed.boolean("failed") || result !== "accepted";
    const rows = (await listAttempts(path))
      .filter(isShown)
      .toReversed()
      .map(({ at, result, name, surface, address: from }) => ({ at, result, name, surface, from }));
    await printResult(parsed, terminal, rows, table(rows, terminal.stdout.columns));
  },
};

export const peopleCommands: FindCommand = commandGroup({
  name: "fxdesk people",
  description:
    "The people who request and release, in the people file. Each change needs the secret of an administrator, or of the person " +
    "for their own secret, token and address.",
  options,
  commands: {
    add,
    list,
    secret: secretCommand,
    lock,
    unlock,
    remove,
    administrator,
    address,
    token,
    totp,
    attempts,
  },
});
