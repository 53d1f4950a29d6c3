/** fxdesk releases: what waits for a person's yes. */
import { userInfo } from "node:os";
import { actor, releaseDeclaration, storeDeclaration } from "../../core/client/settings";
import type { Service } from "../../core/declaration/service";
import { KeptStore } from "../../core/journal/kept-store";
import { ReleaseDesk, ReleaseRefusal } from "../../core/releases/desk";
import { needsInWords, needsOf } from "../../core/releases/needs";
import {
  enrol,
  keepAddress,
  newToken,
  peopleAt,
  removeAddress,
  revokeToken,
} from "../../core/releases/people";
import { type Policy, policyAt } from "../../core/releases/policy";
import { type Decision, type Release, type ReleaseState, releaseStates } from "../../core/releases/release";
import { reportOf } from "../../core/releases/report";
import { decideAs, policyFor } from "../../core/releases/decision-by-secret";
import { storeSettings } from "../../core/store/settings";
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
} from "../connection";
import { success } from "../exit";
import { columns, section } from "../help";
import { readSecret } from "../secret";
import { table } from "../table";
import { printable, printJson, type Terminal, write, writeStderr } from "../terminal";
import { untilStopped } from "../until-stopped";
import { mailHelp, serve, serveFlags } from "./releases-serve";

const settings = [...storeDeclaration, ...releaseDeclaration, actor];
const settingsPage = settingsHelp("Store, policy and people", settings);
const overDesk = { unlisted: settingFlags(settings), more: [settingsPage] } as const;

const usualLimit = 50;

type Given = Readonly<Record<string, string | undefined>>;

/** What is wrong with the files of policy and people is a mistake of usage as well. */
async function asUsage<T>(work: () => Promise<T>): Promise<T> {
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
async function atDesk<T>(
  parsed: ParsedArguments,
  { environment }: Terminal,
  work: (desk: ReleaseDesk, given: Given) => Promise<T>,
): Promise<T> {
  const given = settingsFrom(parsed, environment);
  const desk = new ReleaseDesk(new KeptStore(asUsageError(() => storeSettings(given))));
  try {
    return await asUsage(() => work(desk, given));
  } finally {
    await desk.close();
  }
}

const list: Command = {
  ...overDesk,
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
    const given = parsed.texts("state");
    const unknown = given?.find((state) => !(releaseStates as readonly string[]).includes(state));
    if (unknown !== undefined)
      throw new UsageError(
        `--state must be one of ${releaseStates.join(", ")}, not ${JSON.stringify(unknown)}.`,
      );
    const { releases, isComplete } = await atDesk(parsed, terminal, (desk) =>
      desk.list({ states: given as readonly ReleaseState[] | undefined, limit: usualLimit }),
    );
    const { stdout } = terminal;
    if (parsed.switched("json")) await printJson(terminal, releases.map(reportOf));
    else await write(stdout, table(releases.map(asRow), stdout.isTTY ? stdout.columns : undefined));
    if (!isComplete) await writeStderr(terminal, `These are the newest ${usualLimit}; there are more.\n`);
    return success;
  },
};

function asRow(release: Release) {
  const { release: id, state, operation, asked_by, valid_until, terms, environment } = reportOf(release);
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
function releasePage(release: Release, decisions: readonly Decision[], policy: Policy | undefined): string {
  const { terms, deviations, ...report } = reportOf(release);
  const shown = (value: unknown): string =>
    printable(typeof value === "string" ? value : JSON.stringify(value));
  const rows = (facts: object) =>
    columns(Object.entries(facts).map(([name, value]) => [name, shown(value)] as const));
  const needs = policy ? needsOf(policy, release.sealed) : [];
  const alarms = deviations && deviations.length > 0 ? deviations.join("\n") : undefined;
  return [
    rows({ ...report, ...(needs.length > 0 && { needs: needsInWords(needs) }) }),
    section("Terms", rows(terms)),
    section("Not as the order says", alarms),
    decisions.length > 0 ? section("Said", columns(decisions.map(decisionLine))) : undefined,
  ]
    .filter(Boolean)
    .join("\n\n");
}

const policyIn = ({ policy }: Given): Promise<Policy> | undefined =>
  policy === undefined ? undefined : policyAt(policy);

const show = (id: string): Command => ({
  ...overDesk,
  usage: `fxdesk releases show ${id} [flags]`,
  description:
    "Shows what is released: its terms to the letter, who asked, who said what, and what became of it.",
  flags: [jsonFlag],
  run: (parsed, terminal) =>
    atDesk(parsed, terminal, async (desk, given) => {
      const { release, decisions } = await desk.get(id);
      if (parsed.switched("json")) await printJson(terminal, { ...reportOf(release), decisions });
      else await write(terminal.stdout, `${releasePage(release, decisions, await policyIn(given))}\n`);
      return success;
    }),
});

const asFlag: Flag = { name: "as", value: "<name>", description: "Who you are, as the policy names you." };
const noteFlag: Flag = { name: "note", value: "<text>", description: "Why; kept with the decision." };

function needed(parsed: ParsedArguments, { name, value }: Flag): string {
  const text = parsed.text(name)?.trim();
  if (!text) throw new UsageError(`--${name} is needed: --${name} ${value}.`);
  return text;
}

function peoplePath({ people }: Given): string {
  if (people === undefined)
    throw new UsageError(
      "Set FXDESK_PEOPLE or --people to the file of people who release, with their secrets.",
    );
  return people;
}

const decide = (id: string, decision: Decision["decision"], description: string): Command => ({
  ...overDesk,
  usage: `fxdesk releases ${decision} ${id} --as <name> [flags]`,
  description: `${description} Your secret is asked for, or read from standard input.`,
  flags: [asFlag, noteFlag, jsonFlag],
  async run(parsed, terminal) {
    const person = needed(parsed, asFlag);
    const decided = await atDesk(parsed, terminal, async (desk, given) => {
      const files = { policy: given.policy, people: peoplePath(given) };
      const { release, decisions } = await desk.get(id);
      const policy = await policyFor(release, files.policy, await peopleAt(files.people));
      await writeStderr(terminal, `${releasePage(release, decisions, policy)}\n\n`);
      const secret = await readSecret(terminal, `Secret of ${person}: `);
      const note = parsed.text("note");
      return decideAs(desk, id, files, { person, secret, decision, note, seal: release.hash });
    });
    if (parsed.switched("json")) await printJson(terminal, reportOf(decided));
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
  ...overDesk,
  usage: `fxdesk releases cancel ${id} [flags]`,
  description: "Takes back what you asked for, as long as nothing has left.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const cancelled = await atDesk(parsed, terminal, (desk, given) =>
      desk.cancel(id, given.actor ?? userInfo().username),
    );
    if (parsed.switched("json")) await printJson(terminal, reportOf(cancelled));
    else await write(terminal.stdout, `${id} is ${cancelled.state}.\n`);
    return success;
  },
});

const enrolCommand = (name: string): Command => ({
  ...overDesk,
  usage: `fxdesk releases enrol ${name} [flags]`,
  description:
    "Writes a secret for somebody into the file of people, which is made where there is none. It is asked for, or read " +
    "from standard input.",
  flags: [],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    const secret = await readSecret(terminal, `New secret of ${name}: `);
    await asUsage(() => enrol(path, name, secret));
    await write(terminal.stdout, `${name} can release. The secret is in ${path}.\n`);
    return success;
  },
});

const revokeFlag: Flag = { name: "revoke", description: "Takes the token away, and makes none." };

const tokenCommand = (name: string): Command => ({
  ...overDesk,
  usage: `fxdesk releases token ${name} [flags]`,
  description:
    "Makes a token by which fxdesk mcp --http knows that somebody asks, and prints it this once; the one before is worth " +
    "nothing any more. It releases nothing.",
  flags: [revokeFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    if (parsed.switched("revoke")) {
      await asUsage(() => revokeToken(path, name));
      await write(terminal.stdout, `${name} has no token any more.\n`);
      return success;
    }
    const token = await asUsage(() => newToken(path, name));
    await writeStderr(terminal, `The token of ${name}; ${path} has its hash.\n`);
    await write(terminal.stdout, `${token}\n`);
    return success;
  },
});

const mailFlag: Flag = { name: "mail", value: "<address>", description: "Where they are told by mail." };
const removeFlag: Flag = { name: "remove", description: "Takes the address away." };

const addressCommand = (name: string): Command => ({
  ...overDesk,
  usage: `fxdesk releases address ${name} --mail <address> [flags]`,
  description:
    "Writes down where somebody is told by mail of what waits for their yes, and of what they asked for.",
  flags: [mailFlag, removeFlag],
  async run(parsed, terminal) {
    const path = peoplePath(settingsFrom(parsed, terminal.environment));
    if (parsed.switched("remove")) {
      await asUsage(() => removeAddress(path, name));
      await write(terminal.stdout, `${name} is told by mail no longer.\n`);
      return success;
    }
    const address = needed(parsed, mailFlag);
    await asUsage(() => keepAddress(path, name, address));
    await write(terminal.stdout, `${name} is told at ${address}, while fxdesk releases serve sends mails.\n`);
    return success;
  },
});

const runCommand = (services: Services): Command => ({
  usage: "fxdesk releases run [flags]",
  description:
    "Books orders as they are released, until Ctrl-C: each from fresh quotes, inside its limits, or not at all.",
  flags: [],
  unlisted: connectionFlags(),
  more: [connectionHelp()],
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
    const alive = setInterval(() => undefined, 60_000);
    try {
      await client.orders.start();
      await writeStderr(terminal, "Orders are booked as they are released. Ctrl-C stops it.\n");
      await stopped;
    } finally {
      clearInterval(alive);
      await client.close();
    }
    return success;
  },
});

const serveCommand: Command = {
  ...overDesk,
  usage: "fxdesk releases serve [flags]",
  description:
    "Serves a page on which people release and refuse, until Ctrl-C: they sign in, and give their secret with each decision.",
  flags: serveFlags,
  more: [mailHelp, settingsPage],
  run: (parsed, terminal) =>
    atDesk(parsed, terminal, (desk, given) =>
      serve(parsed, terminal, desk, {
        store: storeSettings(given),
        files: { policy: given.policy, people: peoplePath(given) },
      }),
    ),
};

/** Loads the operations for the command that needs them. */
interface Services {
  readonly extended: () => Promise<Service>;
}

const ofOne: Readonly<Record<string, (id: string) => Command>> = { show, release, refuse, cancel };
const ofPerson: Readonly<Record<string, (name: string) => Command>> = {
  enrol: enrolCommand,
  token: tokenCommand,
  address: addressCommand,
};
const names = () => ["list", ...Object.keys(ofOne), ...Object.keys(ofPerson), "run", "serve"].join(", ");

const overview = (services: Services): Command => ({
  usage: "fxdesk releases <command> [flags]",
  description:
    "Orders and calls that wait for a person's yes, as the policy asks for. A yes is given by a person with a secret, never " +
    "by who asked.",
  flags: [],
  more: [
    section(
      "Commands, each with its own --help",
      columns([
        ["list", list.description],
        ...Object.entries(ofOne).map(([name, of]) => [`${name} <id>`, of("<id>").description] as const),
        ...Object.entries(ofPerson).map(
          ([name, of]) => [`${name} <name>`, of("<name>").description] as const,
        ),
        ["run", runCommand(services).description],
        ["serve", serveCommand.description],
      ]),
    ),
    settingsPage,
  ],
  run: () => {
    throw new UsageError(`Which command? fxdesk releases ${names()}.`);
  },
});

/** The command that the first words name, and its arguments. */
export function releasesCommand(
  [word, ...args]: readonly string[],
  services: Services,
): readonly [Command, readonly string[]] {
  if (word === undefined) return [overview(services), []];
  if (word.startsWith("-")) return [overview(services), [word, ...args]];
  if (word === "list") return [list, args];
  if (word === "serve") return [serveCommand, args];
  if (word === "run") return [runCommand(services), args];
  const isOfPerson = Object.hasOwn(ofPerson, word);
  const of = isOfPerson ? ofPerson[word] : Object.hasOwn(ofOne, word) ? ofOne[word] : undefined;
  if (!of) throw new UsageError(`There is no command ${JSON.stringify(word)}. There is ${names()}.`);
  const [id, ...rest] = args;
  if (id !== undefined && !id.startsWith("-")) return [of(id), rest];
  const placeholder = isOfPerson ? "<name>" : "<id>";
  if (id === "--help" || id === "-h") return [of(placeholder), ["--help"]];
  throw new UsageError(`fxdesk releases ${word} ${placeholder}: ${placeholder} is missing.`);
}
