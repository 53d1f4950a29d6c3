/** fxdesk releases: what waits for a person's yes. */
import { userInfo } from "node:os";
import { actorSetting, releaseSettingFields, storeSettingFields } from "../../core/client/settings";
import type { Service } from "../../core/declaration/service";
import { StoreSession } from "../../core/journal/store-session";
import { ReleaseService, ReleaseRefusal } from "../../core/releases/release-service";
import { describeRequirements, approvalRequirements } from "../../core/releases/policy-evaluation";
import {
  enrol,
  setMailAddress,
  createToken,
  loadPeople,
  removeMailAddress,
  revokeToken,
} from "../../core/releases/people";
import { type Policy, loadPolicy } from "../../core/releases/policy";
import { type Decision, type Release, type ReleaseState, releaseStates } from "../../core/releases/release";
import { toReleaseReport } from "../../core/releases/report";
import { decideWithSecret, policyForRelease } from "../../core/releases/decide-with-secret";
import { parseStoreSettings } from "../../core/store/settings";
import { type Flag, type ParsedArguments, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import {
  asUsageError,
  clientOptions,
  connectionFlags,
  connectionHelp,
  settingFlags,
  settingsFrom,
  settingsHelp,
} from "../connection-settings";
import { success } from "../exit-codes";
import { columns, section } from "../help";
import { readSecret } from "../secret";
import { table } from "../table";
import { printable, printJson, type Terminal, write, writeStderr } from "../terminal";
import { untilStopped } from "../until-stopped";
import { mailHelp, serveReleasesPage, serveFlags } from "./releases-serve";

const settings = [...storeSettingFields, ...releaseSettingFields, actorSetting];
const settingsSection = settingsHelp("Store, policy and people", settings);
const releaseOptions = { hiddenFlags: settingFlags(settings), helpSections: [settingsSection] } as const;

const defaultLimit = 50;

type GivenSettings = Readonly<Record<string, string | undefined>>;

/** What is wrong with the files of policy and people is a mistake of usage as well. */
async function asUsageErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ReleaseRefusal) throw new UsageError(error.message);
    return asUsageError(() => {
      throw error;
    });
  }
}

/** Does something at the desk; what it refuses is a mistake of usage. */
async function withReleaseService<T>(
  parsed: ParsedArguments,
  { environment }: Terminal,
  work: (releaseService: ReleaseService, given: GivenSettings) => Promise<T>,
): Promise<T> {
  const given = settingsFrom(parsed, environment);
  const releaseService = new ReleaseService(new StoreSession(asUsageError(() => parseStoreSettings(given))));
  try {
    return await asUsageErrors(() => work(releaseService, given));
  } finally {
    await releaseService.close();
  }
}

const list: Command = {
  ...releaseOptions,
  usage: "fxdesk releases list [flags]",
  description: "Lists orders and calls that wait for a yes, or did, the newest first.",
  flags: [
    {
      name: "state",
      value: "<state>",
      repeats: true,
      description: `Only those that are ${releaseStates.join(", ")}; may be given several times.`,
    },
    jsonFlag,
  ],
  async run(parsed, terminal) {
    const given = parsed.strings("state");
    const unknown = given?.find((state) => !(releaseStates as readonly string[]).includes(state));
    if (unknown !== undefined)
      throw new UsageError(
        `--state must be one of ${releaseStates.join(", ")}, not ${JSON.stringify(unknown)}.`,
      );
    const { releases, isComplete } = await withReleaseService(parsed, terminal, (releaseService) =>
      releaseService.list({ states: given as readonly ReleaseState[] | undefined, limit: defaultLimit }),
    );
    const { stdout } = terminal;
    if (parsed.boolean("json")) await printJson(terminal, releases.map(toReleaseReport));
    else await write(stdout, table(releases.map(toRow), stdout.isTTY ? stdout.columns : undefined));
    if (!isComplete) await writeStderr(terminal, `These are the newest ${defaultLimit}; there are more.\n`);
    return success;
  },
};

function toRow(release: Release) {
  const {
    release: id,
    state,
    operation,
    asked_by,
    valid_until,
    terms,
    environment,
  } = toReleaseReport(release);
  const { fixed_side, amount, buy_currency, sell_currency, method, target } = terms;
  const what =
    release.sealed.kind === "order"
      ? `${String(fixed_side)} ${String(amount)}, buy ${String(buy_currency)} for ${String(sell_currency)}`
      : `${String(method)} ${String(target)}`;
  return { release: id, state, operation, what, asked_by, valid_until, environment };
}

const decisionLine = ({ person, decision, at, note }: Decision): readonly [string, string] => [
  `${new Date(at).toISOString()}  ${decision}`,
  printable([person, note].filter(Boolean).join(": ")),
];

/** What a person must see before saying yes to it. */
function renderRelease(release: Release, decisions: readonly Decision[], policy: Policy | undefined): string {
  const { terms, deviations, ...report } = toReleaseReport(release);
  const displayValue = (value: unknown): string =>
    printable(typeof value === "string" ? value : JSON.stringify(value));
  const rows = (facts: object) =>
    columns(Object.entries(facts).map(([name, value]) => [name, displayValue(value)] as const));
  const needs = policy ? approvalRequirements(policy, release.sealed) : [];
  const alarms = deviations && deviations.length > 0 ? deviations.join("\n") : undefined;
  return [
    rows({ ...report, ...(needs.length > 0 && { needs: describeRequirements(needs) }) }),
    section("Terms", rows(terms)),
    section("Not as the order says", alarms),
    decisions.length > 0 ? section("Said", columns(decisions.map(decisionLine))) : undefined,
  ]
    .filter(Boolean)
    .join("\n\n");
}

const readPolicy = ({ policy }: GivenSettings): Promise<Policy> | undefined =>
  policy === undefined ? undefined : loadPolicy(policy);

const show = (id: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases show ${id} [flags]`,
  description:
    "Shows what is released: its terms to the letter, who asked, who said what, and what became of it.",
  flags: [jsonFlag],
  run: (parsed, terminal) =>
    withReleaseService(parsed, terminal, async (releaseService, given) => {
      const { release, decisions } = await releaseService.get(id);
      if (parsed.boolean("json")) await printJson(terminal, { ...toReleaseReport(release), decisions });
      else await write(terminal.stdout, `${renderRelease(release, decisions, await readPolicy(given))}\n`);
      return success;
    }),
});

const asFlag: Flag = { name: "as", value: "<name>", description: "Who you are, as the policy names you." };
const noteFlag: Flag = { name: "note", value: "<text>", description: "Why; kept with the decision." };

function requiredText(parsed: ParsedArguments, { name, value }: Flag): string {
  const text = parsed.string(name)?.trim();
  if (!text) throw new UsageError(`--${name} is needed: --${name} ${value}.`);
  return text;
}

function peoplePath({ people }: GivenSettings): string {
  if (people === undefined)
    throw new UsageError(
      "Set FXDESK_PEOPLE or --people to the file of people who release, with their secrets.",
    );
  return people;
}

const decide = (id: string, decision: Decision["decision"], description: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases ${decision} ${id} --as <name> [flags]`,
  description: `${description} Your secret is asked for, or read from standard input.`,
  flags: [asFlag, noteFlag, jsonFlag],
  async run(parsed, terminal) {
    const person = requiredText(parsed, asFlag);
    const decided = await withReleaseService(parsed, terminal, async (releaseService, given) => {
      const files = { policy: given.policy, people: peoplePath(given) };
      const { release, decisions } = await releaseService.get(id);
      const policy = await policyForRelease(release, files.policy, await loadPeople(files.people));
      await writeStderr(terminal, `${renderRelease(release, decisions, policy)}\n\n`);
      const secret = await readSecret(terminal, `Secret of ${person}: `);
      const note = parsed.string("note");
      return decideWithSecret(releaseService, id, files, {
        person,
        secret,
        decision,
        note,
        seal: release.hash,
      });
    });
    if (parsed.boolean("json")) await printJson(terminal, toReleaseReport(decided));
    else await write(terminal.stdout, `${id} is ${decided.state}.\n`);
    return success;
  },
});

const release = (id: string) =>
  decide(
    id,
    "release",
    "Says yes to exactly what fxdesk releases show shows. It may then leave once, in time.",
  );
const refuse = (id: string) => decide(id, "refuse", "Says no: it will not leave.");

const cancel = (id: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases cancel ${id} [flags]`,
  description: "Takes back what you asked for, as long as nothing has left.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const cancelled = await withReleaseService(parsed, terminal, (releaseService, given) =>
      releaseService.cancel(id, given.actor ?? userInfo().username),
    );
    if (parsed.boolean("json")) await printJson(terminal, toReleaseReport(cancelled));
    else await write(terminal.stdout, `${id} is ${cancelled.state}.\n`);
    return success;
  },
});

const enrolCommand = (name: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases enrol ${name} [flags]`,
  description:
    "Writes a secret for somebody into the file of people, which is made where there is none. It is asked for, or read " +
    "from standard input.",
  flags: [],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const secret = await readSecret(terminal, `New secret of ${name}: `);
    await asUsageErrors(() => enrol(path, name, secret));
    await write(terminal.stdout, `${name} can release. The secret is in ${path}.\n`);
    return success;
  },
});

const revokeFlag: Flag = { name: "revoke", description: "Takes the token away, and makes none." };

const tokenCommand = (name: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases token ${name} [flags]`,
  description:
    "Makes a token by which fxdesk mcp --http knows that somebody asks, and prints it this once; the one before is worth " +
    "nothing any more. It releases nothing.",
  flags: [revokeFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    if (parsed.boolean("revoke")) {
      await asUsageErrors(() => revokeToken(path, name));
      await write(terminal.stdout, `${name} has no token any more.\n`);
      return success;
    }
    const token = await asUsageErrors(() => createToken(path, name));
    await writeStderr(terminal, `The token of ${name}; ${path} has its hash.\n`);
    await write(terminal.stdout, `${token}\n`);
    return success;
  },
});

const mailFlag: Flag = { name: "mail", value: "<address>", description: "Where they are told by mail." };
const removeFlag: Flag = { name: "remove", description: "Takes the address away." };

const addressCommand = (name: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases address ${name} --mail <address> [flags]`,
  description:
    "Writes down where somebody is told by mail of what waits for their yes, and of what they asked for.",
  flags: [mailFlag, removeFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    if (parsed.boolean("remove")) {
      await asUsageErrors(() => removeMailAddress(path, name));
      await write(terminal.stdout, `${name} is told by mail no longer.\n`);
      return success;
    }
    const address = requiredText(parsed, mailFlag);
    await asUsageErrors(() => setMailAddress(path, name, address));
    await write(terminal.stdout, `${name} is told at ${address}, while fxdesk releases serve sends mails.\n`);
    return success;
  },
});

const runCommand = (services: Services): Command => ({
  usage: "fxdesk releases run [flags]",
  description:
    "Books orders as they are released, until Ctrl-C: each from fresh quotes, inside its limits, or not at all.",
  flags: [],
  hiddenFlags: connectionFlags(),
  helpSections: [connectionHelp()],
  async run(parsed, terminal) {
    const service = await services.extended();
    if (!service.operations.some(({ quotes }) => quotes))
      throw new UsageError(
        "No operation of this service quotes trades: FXDESK_EXTENSIONS names a module that adds one.",
      );
    const { createClient } = await import("../../core/client/client.js");
    const options = clientOptions(settingsFrom(parsed, terminal.environment, service), service);
    const client = asUsageError(() => createClient(options, service), service);
    const stopped = untilStopped();
    const keepAlive = setInterval(() => undefined, 60_000);
    try {
      await client.orders.start();
      await writeStderr(terminal, "Orders are booked as they are released. Ctrl-C stops it.\n");
      await stopped;
    } finally {
      clearInterval(keepAlive);
      await client.close();
    }
    return success;
  },
});

const serveCommand: Command = {
  ...releaseOptions,
  usage: "fxdesk releases serve [flags]",
  description:
    "Serves a page on which people release and refuse, until Ctrl-C: they sign in, and give their secret with each decision.",
  flags: serveFlags,
  helpSections: [mailHelp, settingsSection],
  run: (parsed, terminal) =>
    withReleaseService(parsed, terminal, (releaseService, given) =>
      serveReleasesPage(parsed, terminal, releaseService, {
        store: parseStoreSettings(given),
        files: { policy: given.policy, people: peoplePath(given) },
      }),
    ),
};

/** Loads the operations for the command that needs them. */
interface Services {
  readonly extended: () => Promise<Service>;
}

const releaseCommands: Readonly<Record<string, (id: string) => Command>> = { show, release, refuse, cancel };
const personCommands: Readonly<Record<string, (name: string) => Command>> = {
  enrol: enrolCommand,
  token: tokenCommand,
  address: addressCommand,
};
const commandNames = () =>
  ["list", ...Object.keys(releaseCommands), ...Object.keys(personCommands), "run", "serve"].join(", ");

const overview = (services: Services): Command => ({
  usage: "fxdesk releases <command> [flags]",
  description:
    "Orders and calls that wait for a person's yes, as the policy asks for. A yes is given by a person with a secret, never " +
    "by who asked.",
  flags: [],
  helpSections: [
    section(
      "Commands, each with its own --help",
      columns([
        ["list", list.description],
        ...Object.entries(releaseCommands).map(
          ([name, of]) => [`${name} <id>`, of("<id>").description] as const,
        ),
        ...Object.entries(personCommands).map(
          ([name, of]) => [`${name} <name>`, of("<name>").description] as const,
        ),
        ["run", runCommand(services).description],
        ["serve", serveCommand.description],
      ]),
    ),
    settingsSection,
  ],
  run: () => {
    throw new UsageError(`Which command? fxdesk releases ${commandNames()}.`);
  },
});

/** The command that the first words name, and its arguments. */
export function releasesCommand(
  [subcommand, ...args]: readonly string[],
  services: Services,
): readonly [Command, readonly string[]] {
  if (subcommand === undefined) return [overview(services), []];
  if (subcommand.startsWith("-")) return [overview(services), [subcommand, ...args]];
  if (subcommand === "list") return [list, args];
  if (subcommand === "serve") return [serveCommand, args];
  if (subcommand === "run") return [runCommand(services), args];
  const isOfPerson = Object.hasOwn(personCommands, subcommand);
  const createCommand = isOfPerson
    ? personCommands[subcommand]
    : Object.hasOwn(releaseCommands, subcommand)
      ? releaseCommands[subcommand]
      : undefined;
  if (!createCommand)
    throw new UsageError(`There is no command ${JSON.stringify(subcommand)}. There is ${commandNames()}.`);
  const [id, ...rest] = args;
  if (id !== undefined && !id.startsWith("-")) return [createCommand(id), rest];
  const placeholder = isOfPerson ? "<name>" : "<id>";
  if (id === "--help" || id === "-h") return [createCommand(placeholder), ["--help"]];
  throw new UsageError(`fxdesk releases ${subcommand} ${placeholder}: ${placeholder} is missing.`);
}
