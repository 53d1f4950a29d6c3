/** The `fxdesk people` commands: who may request and release, and who administers that. */
import { releaseSettingFields } from "../../core/call/settings";
import {
  addPerson,
  changeSecret,
  createPeople,
  issueToken,
  lockPerson,
  removePasskeys,
  removePerson,
  removeTotp,
  revokeToken,
  setAdministrator,
  setMailAddress,
  setTotp,
  unlockPerson,
} from "../../core/people/administration";
import { type Attempt, listAttempts } from "../../core/people/attempts";
import { PeopleRefusal } from "../../core/people/authenticate";
import { byRoot } from "../../core/people/change-people";
import { loadPeople, type People } from "../../core/people/people-file";
import { openChanges } from "../../core/people/pending-change";
import { createTotpSeed, totpUri } from "../../core/people/totp";
import { type Flag, requiredText, UsageError } from "../command-line/arguments";
import {
  commandGroup,
  type FindCommand,
  jsonFlag,
  type MemberCommand,
  printResult,
} from "../command-line/command";
import {
  refusalAsUsage,
  type ServiceLoader,
  settingOptions,
  settingsFrom,
} from "../settings/connection-settings";
import { mailHelp } from "../settings/mail-settings";
import { peoplePath } from "../settings/people-settings";
import { table } from "../terminal/table";
import { write, writeStderr } from "../terminal/terminal";
import { approvePolicyCommand, confirm, discard } from "./agreement";
import { byFlag, personCommand, report } from "./person-command";

const peopleSettings = settingOptions(
  "People",
  releaseSettingFields.filter(({ name }) => name === "people"),
);
export const options = { ...peopleSettings, helpSections: [mailHelp, ...peopleSettings.helpSections] };

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
    return report(await addPerson(path, name, secret, administrator), `${name} was added.`, terminal);
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
    return report(
      await changeSecret(path, name, secret, by),
      `The secret of ${name} was replaced.`,
      terminal,
    );
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
    return report(await removePerson(path, name, await credentials()), `${name} was removed.`, terminal);
  },
);

const lock = personCommand(
  {
    description:
      "Locks a person at once: their secret, token, sessions and open decisions become invalid. People can lock themselves.",
    flags: [byFlag],
  },
  async ({ name, path, terminal, credentials }) => {
    return report(await lockPerson(path, name, await credentials()), `${name} is locked.`, terminal);
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
    return report(await unlockPerson(path, name, await credentials()), `${name} is unlocked.`, terminal);
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
    return report(
      await setAdministrator(path, name, isAdministrator, await credentials()),
      isAdministrator ? `${name} is an administrator.` : `${name} is no administrator any more.`,
      terminal,
    );
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
    return report(
      await setMailAddress(path, name, mail, await credentials()),
      isRemoved ? `The e-mail address of ${name} was deleted.` : `The e-mail address of ${name} is ${mail}.`,
      terminal,
    );
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
      return report(
        await revokeToken(path, name, await credentials()),
        `The token of ${name} was deleted.`,
        terminal,
      );
    }
    const created = await issueToken(path, name, await credentials());
    const text = await report(
      created,
      `Token of ${name}, shown only once; ${path} stores its hash:`,
      terminal,
    );
    await writeStderr(terminal, `${text}\n`);
    return created.token;
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
      return report(
        await removeTotp(path, name, await credentials()),
        `The codes of ${name} were removed.`,
        terminal,
      );
    }
    const by = await credentials();
    const seed = createTotpSeed();
    await write(terminal.stdout, `${totpUri(name, seed)}\n`);
    const code = await readCode(`First code of ${name}: `);
    return report(await setTotp(path, name, { seed, code }, by), `${name} can release with codes.`, terminal);
  },
);

const passkey = personCommand(
  {
    requiredFlags: "--remove --by <name>",
    description: "Removes the passkeys of a person. People add theirs on the releases page.",
    flags: [byFlag, { name: "remove", description: "Remove all passkeys, as an administrator." }],
  },
  async ({ name, path, parsed, terminal, credentials }) => {
    requiredText(parsed, byFlag);
    if (!parsed.boolean("remove"))
      throw new UsageError(`--remove is required: ${name} adds a passkey on the releases page.`);
    return report(
      await removePasskeys(path, name, await credentials()),
      `The passkeys of ${name} were removed.`,
      terminal,
    );
  },
);

const toRows = ({ people, administrators }: People) =>
  Object.entries(people).map(([name, person]) => ({
    name,
    can_release: person.secret !== undefined && person.lockedSince === undefined,
    administrator: administrators.includes(name),
    token: person.token !== undefined,
    codes: person.totp !== undefined,
    passkeys: person.passkeys !== undefined,
    address: person.address,
    locked_since: person.lockedSince,
  }));

const pendingRows = ({ pending }: People) =>
  openChanges(pending, Date.now()).map(({ id, change, person, by, at, until }) => ({
    id,
    change,
    person,
    by,
    at,
    until,
  }));

const list: MemberCommand = {
  description: "Lists the people, without their secrets. With --log, lists the changes of the file.",
  flags: [
    { name: "log", description: "List the changes instead: what, whose, by whom." },
    { name: "pending", description: "List the changes that wait for another administrator instead." },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const people = await refusalAsUsage(PeopleRefusal, () => loadPeople(path));
    const pending = pendingRows(people);
    const rows = parsed.boolean("log") ? people.log : parsed.boolean("pending") ? pending : toRows(people);
    await printResult(parsed, terminal, rows, table(rows, { width: terminal.stdout.columns }));
    if (pending.length > 0 && !parsed.boolean("pending"))
      await writeStderr(
        terminal,
        `Changes that wait for another administrator: ${pending.length} (--pending).\n`,
      );
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
    await printResult(parsed, terminal, rows, table(rows, { width: terminal.stdout.columns }));
  },
};

export const peopleCommands = (loadService: ServiceLoader): FindCommand =>
  commandGroup({
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
      passkey,
      confirm,
      discard,
      "approve-policy": approvePolicyCommand(loadService),
      attempts,
    },
  });
