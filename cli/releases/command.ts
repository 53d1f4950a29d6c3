/** The `fxdesk releases` commands: requests that wait for release by a person. */
import { userInfo } from "node:os";
import { actorSetting, releaseSettingFields, storeSettingFields } from "../../core/call/settings";
import { StoreSession } from "../../core/store/session";
import { ReleaseService } from "../../core/releases/release-service";
import { ReleaseRefusal, type Decision, type Release } from "../../core/releases/release";
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
import { type ReleaseState, releaseStates } from "../../core/releases/states";
import { toReleaseReport } from "../../core/releases/report";
import { decideWithSecret, policyForRelease } from "../../core/releases/decide-with-secret";
import { parseStoreSettings } from "../../core/store/settings";
import { type Flag, type ParsedArguments, requiredText, UsageError } from "../command-line/arguments";
import { type Command, jsonFlag } from "../command-line/command";
import {
  asUsageError,
  clientOptions,
  connectionFlags,
  connectionHelp,
  settingFlags,
  settingsFrom,
  settingsHelp,
} from "../settings/connection-settings";
import type { ServiceLoader } from "../settings/extensions";
import { success } from "../command-line/exit-codes";
import { columns, section } from "../command-line/help";
import { readSecret } from "./secret";
import { table } from "../terminal/table";
import { printable, printJson, type Terminal, write, writeStderr } from "../terminal/terminal";
import { untilStopped } from "../terminal/stop-signals";
import { mailHelp, serveReleasesPage, serveFlags } from "./serve";

const settings = [...storeSettingFields, ...releaseSettingFields, actorSetting];
const settingsSection = settingsHelp("Store, policy and people", settings);
const releaseOptions = { hiddenFlags: settingFlags(settings), helpSections: [settingsSection] } as const;

const defaultLimit = 50;

type GivenSettings = Readonly<Record<string, string | undefined>>;

/** Converts refusals, and errors in the policy and people files, to a UsageError. */
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

/** Runs `work` with a release service. Converts its refusals to a UsageError. */
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
  description: "Lists orders and calls that wait or waited for release, newest first.",
  flags: [
    {
      name: "state",
      value: "<state>",
      repeats: true,
      description: `Only requests in this state: ${releaseStates.join(", ")}. May be repeated.`,
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
    if (!isComplete) await writeStderr(terminal, `Only the newest ${defaultLimit} are shown.\n`);
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
  const request =
    release.sealed.kind === "order"
      ? `${String(fixed_side)} ${String(amount)}, buy ${String(buy_currency)} for ${String(sell_currency)}`
      : `${String(method)} ${String(target)}`;
  return { release: id, state, operation, request, asked_by, valid_until, environment };
}

const decisionLine = ({ person, decision, at, note }: Decision): readonly [string, string] => [
  `${new Date(at).toISOString()}  ${decision}`,
  printable([person, note].filter(Boolean).join(": ")),
];

/** Renders everything that a person must see before a decision. */
function renderRelease(release: Release, decisions: readonly Decision[], policy: Policy | undefined): string {
  const { terms, deviations, ...report } = toReleaseReport(release);
  const displayValue = (value: unknown): string =>
    printable(typeof value === "string" ? value : JSON.stringify(value));
  const rows = (facts: object) =>
    columns(Object.entries(facts).map(([name, value]) => [name, displayValue(value)] as const));
  const requirements = policy ? approvalRequirements(policy, release.sealed) : [];
  const deviationLines = deviations && deviations.length > 0 ? deviations.join("\n") : undefined;
  return [
    rows({
      ...report,
      ...(requirements.length > 0 && { required_approvals: describeRequirements(requirements) }),
    }),
    section("Terms", rows(terms)),
    section("Deviations from the order", deviationLines),
    decisions.length > 0 ? section("Decisions", columns(decisions.map(decisionLine))) : undefined,
  ]
    .filter(Boolean)
    .join("\n\n");
}

const readPolicy = ({ policy }: GivenSettings): Promise<Policy> | undefined =>
  policy === undefined ? undefined : loadPolicy(policy);

const show = (id: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases show ${id} [flags]`,
  description: "Shows a request for release: its exact terms, requester, decisions and outcome.",
  flags: [jsonFlag],
  run: (parsed, terminal) =>
    withReleaseService(parsed, terminal, async (releaseService, given) => {
      const { release, decisions } = await releaseService.get(id);
      if (parsed.boolean("json")) await printJson(terminal, { ...toReleaseReport(release), decisions });
      else await write(terminal.stdout, `${renderRelease(release, decisions, await readPolicy(given))}\n`);
      return success;
    }),
});

const asFlag: Flag = { name: "as", value: "<name>", description: "Your name, as in the policy." };
const noteFlag: Flag = { name: "note", value: "<text>", description: "Reason, stored with the decision." };

function peoplePath({ people }: GivenSettings): string {
  if (people === undefined)
    throw new UsageError(
      "Set FXDESK_PEOPLE or --people to the file with the people who release and their secrets.",
    );
  return people;
}

const decide = (id: string, decision: Decision["decision"], description: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases ${decision} ${id} --as <name> [flags]`,
  description: `${description} Prompts for your secret, or reads it from standard input.`,
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
    "Releases exactly the terms that fxdesk releases show prints. After the last required approval, the request may be sent once, before it expires.",
  );
const refuse = (id: string) => decide(id, "refuse", "Refuses the request; it will not be sent.");

const cancel = (id: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases cancel ${id} [flags]`,
  description: "Cancels your own request before it is sent.",
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
    "Enrols a person: stores a hash of their secret in the people file, which is created if needed. Prompts for the secret, or " +
    "reads it from standard input.",
  flags: [],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const secret = await readSecret(terminal, `New secret of ${name}: `);
    await asUsageErrors(() => enrol(path, name, secret));
    await write(terminal.stdout, `${name} can now release. The hash of the secret is stored in ${path}.\n`);
    return success;
  },
});

const revokeFlag: Flag = { name: "revoke", description: "Delete the token instead of creating one." };

const tokenCommand = (name: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases token ${name} [flags]`,
  description:
    "Creates a personal token that identifies a requester to fxdesk mcp --http, and prints it once. It replaces the previous " +
    "token. It cannot be used to release.",
  flags: [revokeFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    if (parsed.boolean("revoke")) {
      await asUsageErrors(() => revokeToken(path, name));
      await write(terminal.stdout, `The token of ${name} was deleted.\n`);
      return success;
    }
    const token = await asUsageErrors(() => createToken(path, name));
    await writeStderr(terminal, `Token of ${name}, shown only once; ${path} stores its hash:\n`);
    await write(terminal.stdout, `${token}\n`);
    return success;
  },
});

const mailFlag: Flag = { name: "mail", value: "<address>", description: "E-mail address for notifications." };
const removeFlag: Flag = { name: "remove", description: "Delete the address." };

const addressCommand = (name: string): Command => ({
  ...releaseOptions,
  usage: `fxdesk releases address ${name} --mail <address> [flags]`,
  description:
    "Sets the e-mail address of a person, for notifications of requests that wait for their decision and of decisions on their own requests.",
  flags: [mailFlag, removeFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    if (parsed.boolean("remove")) {
      await asUsageErrors(() => removeMailAddress(path, name));
      await write(terminal.stdout, `The e-mail address of ${name} was deleted.\n`);
      return success;
    }
    const address = requiredText(parsed, mailFlag);
    await asUsageErrors(() => setMailAddress(path, name, address));
    await write(
      terminal.stdout,
      `${name} is notified at ${address} while fxdesk releases serve runs with e-mail settings.\n`,
    );
    return success;
  },
});

const runDescription =
  "Executes orders as soon as they are released, until Ctrl-C. Each order is booked from fresh quotes within its limits, or not at all.";

const runCommand = (loadService: ServiceLoader): Command => ({
  usage: "fxdesk releases run [flags]",
  description: runDescription,
  flags: [],
  hiddenFlags: connectionFlags(),
  helpSections: [connectionHelp()],
  async run(parsed, terminal) {
    const service = await loadService();
    if (!service.operations.some(({ quotes }) => quotes))
      throw new UsageError(
        "This service has no quote operation. Add one with an extension module: set FXDESK_EXTENSIONS.",
      );
    const { createClient } = await import("../../core/client/client.js");
    const options = clientOptions(settingsFrom(parsed, terminal.environment, service), service);
    const client = asUsageError(() => createClient(options, service), service);
    const stopped = untilStopped();
    const keepAlive = setInterval(() => undefined, 60_000);
    try {
      await client.orders.start();
      await writeStderr(terminal, "Waiting for released orders. Press Ctrl-C to stop.\n");
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
    "Serves a web page on which people release or refuse requests, until Ctrl-C. They sign in, and enter their secret again for each decision.",
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

const releaseCommands: Readonly<Record<string, (id: string) => Command>> = { show, release, refuse, cancel };
const personCommands: Readonly<Record<string, (name: string) => Command>> = {
  enrol: enrolCommand,
  token: tokenCommand,
  address: addressCommand,
};
const commandNames = () =>
  ["list", ...Object.keys(releaseCommands), ...Object.keys(personCommands), "run", "serve"].join(", ");

const overview: Command = {
  usage: "fxdesk releases <command> [flags]",
  description:
    "Orders and calls that wait for release by a person, as required by the policy. People decide with their secret; requesters " +
    "cannot release their own requests.",
  flags: [],
  helpSections: [
    section(
      "Commands (add --help for details)",
      columns([
        ["list", list.description],
        ...Object.entries(releaseCommands).map(
          ([name, of]) => [`${name} <id>`, of("<id>").description] as const,
        ),
        ...Object.entries(personCommands).map(
          ([name, of]) => [`${name} <name>`, of("<name>").description] as const,
        ),
        ["run", runDescription],
        ["serve", serveCommand.description],
      ]),
    ),
    settingsSection,
  ],
  run: () => {
    throw new UsageError(`Name a command: fxdesk releases ${commandNames()}.`);
  },
};

/** Returns the command named by the first arguments, and its remaining arguments. */
export function releasesCommand(
  [subcommand, ...args]: readonly string[],
  loadService: ServiceLoader,
): readonly [Command, readonly string[]] {
  if (subcommand === undefined) return [overview, []];
  if (subcommand.startsWith("-")) return [overview, [subcommand, ...args]];
  if (subcommand === "list") return [list, args];
  if (subcommand === "serve") return [serveCommand, args];
  if (subcommand === "run") return [runCommand(loadService), args];
  const isOfPerson = Object.hasOwn(personCommands, subcommand);
  const createCommand = isOfPerson
    ? personCommands[subcommand]
    : Object.hasOwn(releaseCommands, subcommand)
      ? releaseCommands[subcommand]
      : undefined;
  if (!createCommand)
    throw new UsageError(
      `There is no command ${JSON.stringify(subcommand)}. Use fxdesk releases ${commandNames()}.`,
    );
  const [id, ...rest] = args;
  if (id !== undefined && !id.startsWith("-")) return [createCommand(id), rest];
  const placeholder = isOfPerson ? "<name>" : "<id>";
  if (id === "--help" || id === "-h") return [createCommand(placeholder), ["--help"]];
  throw new UsageError(`${placeholder} is missing: fxdesk releases ${subcommand} ${placeholder}.`);
}
