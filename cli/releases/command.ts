/** The `fxdesk releases` commands: requests that wait for release by a person. */
import { releaseSettingFields, serviceKeySetting, storeSettingFields } from "../../core/call/settings";
import { StoreSession } from "../../core/store/session";
import { ReleaseService } from "../../core/releases/release-service";
import { ReleaseRefusal, type Decision, type Release } from "../../core/releases/release";
import {
  describeRequirements,
  approvalRequirements,
  secondFactorsOf,
} from "../../core/releases/policy-evaluation";
import { localOrigin } from "../../core/people/attempts";
import { PeopleRefusal } from "../../core/people/authenticate";
import { loadPeople } from "../../core/people/people-file";
import { type Policy, loadPolicy } from "../../core/releases/policy";
import { loadReadablePeople } from "../../core/releases/release-middleware";
import { canBeShown } from "../../core/releases/request-signature";
import type { ClientCore } from "../../core/api/client-types";
import type { Service } from "../../core/spec/service";
import { releaseStates } from "../../core/releases/states";
import { describeTerms, titleOfTerms } from "../../core/releases/describe-terms";
import { toReleaseReport } from "../../core/releases/report";
import type { TermsTable } from "../../core/call/call-options";
import { type DecisionFiles, policyForRelease } from "../../core/releases/decide";
import { alphabetNote } from "../../core/values/visible-text";
import { choicesFrom, type Flag, type ParsedArguments, requiredText } from "../command-line/arguments";
import {
  columns,
  commandGroup,
  type FindCommand,
  jsonFlag,
  type MemberCommand,
  printResult,
  section,
} from "../command-line/command";
import { clientOptions } from "../settings/client-options";
import {
  asUsageError,
  connectionFlags,
  connectionHelp,
  refusalAsUsage,
  type ServiceLoader,
  settingOptions,
  settingsFrom,
  storeSettingsFrom,
} from "../settings/connection-settings";
import { mailHelp } from "../settings/mail-settings";
import { monitoringHelp } from "../settings/monitor";
import { peoplePath } from "../settings/people-settings";
import { secretPrompts } from "../settings/secret";
import { table } from "../terminal/table";
import {
  printable,
  printJson,
  type Terminal,
  write,
  writeReady,
  writeStderr,
  untilStopped,
} from "../terminal/terminal";
import { serveReleasesPage, serveFlags } from "./serve";

const releaseOptions = settingOptions("Store, policy and people", [
  ...storeSettingFields,
  ...releaseSettingFields,
  serviceKeySetting,
]);

const defaultLimit = 50;

type GivenSettings = Readonly<Record<string, string | undefined>>;

const asUsageErrors = <T>(work: () => Promise<T>): Promise<T> =>
  refusalAsUsage(ReleaseRefusal, () => refusalAsUsage(PeopleRefusal, work));

/** Runs `work` with a release service. Converts its refusals to a UsageError. */
async function withReleaseService<T>(
  parsed: ParsedArguments,
  terminal: Terminal,
  work: (releaseService: ReleaseService, given: GivenSettings) => Promise<T>,
): Promise<T> {
  const given = settingsFrom(parsed, terminal.environment);
  const releaseService = new ReleaseService(new StoreSession(storeSettingsFrom(parsed, terminal)));
  try {
    return await asUsageErrors(() => work(releaseService, given));
  } finally {
    await releaseService.close();
  }
}

const listCommand = (loadService: ServiceLoader): MemberCommand => ({
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
    const states = choicesFrom(parsed, "state", releaseStates);
    const { releases, isComplete } = await withReleaseService(
      parsed,
      terminal,
      async (releaseService, given) => {
        const people = await loadReadablePeople(given.people);
        return releaseService.list({ states, limit: defaultLimit, isVisible: people && canBeShown(people) });
      },
    );
    const service = await loadService();
    const text = table(
      releases.map((release) => toRow(release, service)),
      { width: terminal.stdout.columns },
    );
    await printResult(parsed, terminal, releases.map(toReleaseReport), text);
    if (!isComplete) await writeStderr(terminal, `Only the newest ${defaultLimit} are shown.\n`);
  },
});

const toRow = (release: Release, { operations }: Service) => {
  const { release: id, state, requested_by, valid_until, summary, environment } = toReleaseReport(release);
  const request = `${titleOfTerms(release.sealed, operations)}: ${summary}`;
  return { release: id, state, request, requested_by, valid_until, environment };
};

/** Renders text of other people with a warning if it mixes alphabets whose letters look alike. */
function untrusted(text: string): string {
  const note = alphabetNote(text);
  return note === undefined ? printable(text) : `${printable(text)} (${note})`;
}

const decisionLine = ({ person, decision, at, note }: Decision): readonly [string, string] => [
  `${new Date(at).toISOString()}  ${decision}`,
  untrusted([person, note].filter(Boolean).join(": ")),
];

/** Renders all rows of a table, each on one line, with their numbers. */
const numberedTable = ({ columns: names, rows }: Pick<TermsTable, "columns" | "rows">): string =>
  table(
    rows.map((row, index) => ({
      "No.": index + 1,
      ...Object.fromEntries(
        names.map((name, column) => [name, untrusted(row[column]!).replace(/\s+/g, " ")]),
      ),
    })),
  );

/** Renders everything that a person must see before a decision. */
function renderRelease(
  release: Release,
  decisions: readonly Decision[],
  policy: Policy | undefined,
  { operations }: Pick<Service, "operations">,
): string {
  // Terms and warnings have tables of their own.
  const { terms: _, warnings: __, deviations, ...report } = toReleaseReport(release);
  const { title, facts, tables } = describeTerms(release.sealed, operations);
  const displayValue = (value: unknown): string =>
    untrusted(typeof value === "string" ? value : JSON.stringify(value));
  const rows = (values: object) =>
    Object.entries(values).map(([name, value]) => [name, displayValue(value)] as const);
  const requirements = policy ? approvalRequirements(policy, release.sealed) : [];
  const approvals = requirements.length > 0 && { required_approvals: describeRequirements(requirements) };
  return [
    columns(rows({ ...report, ...approvals })),
    section(
      title,
      facts.map(([name, text]) => [name, untrusted(text)] as const),
    ),
    ...tables.map(({ title: heading, ...lines }) => section(heading, numberedTable(lines))),
    section("Deviations from the order", deviations?.map(printable).join("\n")),
    section("Decisions", decisions.map(decisionLine)),
  ]
    .filter(Boolean)
    .join("\n\n");
}

const showCommand = (loadService: ServiceLoader): MemberCommand => ({
  operand: "<id>",
  description: "Shows a request for release: its exact terms, requester, decisions and outcome.",
  flags: [jsonFlag],
  run: (parsed, terminal) =>
    withReleaseService(parsed, terminal, async (releaseService, given) => {
      const people = await loadReadablePeople(given.people);
      const id = parsed.operand;
      const { release, decisions } = await (people
        ? releaseService.getForDecision(id, people)
        : releaseService.get(id));
      if (parsed.boolean("json")) return printJson(terminal, { ...toReleaseReport(release), decisions });
      const service = await loadService();
      const policy =
        given.policy === undefined ? undefined : await loadPolicy(given.policy, service, undefined);
      return write(terminal.stdout, `${renderRelease(release, decisions, policy, service)}\n`);
    }),
});

const asFlag: Flag = { name: "as", value: "<name>", description: "Your name, as in the policy." };
const codeFlag: Flag = {
  name: "code",
  value: "<digits>",
  description: "One-time code of your authenticator app, if the policy requires one. Default: asked for.",
};
const noteFlag: Flag = { name: "note", value: "<text>", description: "Reason, stored with the decision." };

/** Returns the files that define who may decide. */
const decisionFiles = async (given: GivenSettings, loadService: ServiceLoader): Promise<DecisionFiles> => ({
  policy: given.policy,
  people: peoplePath(given),
  service: await loadService(),
});

const decideCommand = (
  loadService: ServiceLoader,
  decision: Decision["decision"],
  description: string,
): MemberCommand => ({
  operand: "<id>",
  requiredFlags: "--as <name>",
  description: `${description} Prompts for your secret, or reads it from standard input.`,
  flags: [asFlag, codeFlag, noteFlag, jsonFlag],
  async run(parsed, terminal) {
    const [id, person] = [parsed.operand, requiredText(parsed, asFlag)];
    const decided = await withReleaseService(parsed, terminal, async (releaseService, given) => {
      const files = await decisionFiles(given, loadService);
      const people = await loadPeople(files.people);
      const { release, decisions } = await releaseService.getForDecision(id, people);
      const policy = await policyForRelease(release, files, people);
      await writeStderr(terminal, `${renderRelease(release, decisions, policy, files.service)}\n\n`);
      const { read } = secretPrompts(terminal);
      const secret = await read(`Secret of ${person}: `);
      const factors = decision === "release" ? secondFactorsOf(policy, release.sealed) : [];
      const isCodeNeeded = factors.includes("totp") || factors.includes("any");
      const code = parsed.string("code") ?? (isCodeNeeded ? await read(`Code of ${person}: `) : undefined);
      const note = parsed.string("note");
      const input = { person, secret, code, decision, note, seal: release.hash };
      return releaseService.decide(id, files, input, localOrigin("cli"));
    });
    await printResult(parsed, terminal, toReleaseReport(decided), `${id} is ${decided.state}.\n`);
  },
});

const releaseDescription =
  "Releases exactly the terms that fxdesk releases show prints. After the last required approval, the request may be sent once, before it expires.";
const refuseDescription = "Refuses the request; it will not be sent.";

/** Runs `work` with a client. Without a service key, the user of this process requests. */
async function withClient<T>(
  parsed: ParsedArguments,
  terminal: Terminal,
  service: Service,
  work: (client: ClientCore) => Promise<T>,
): Promise<T> {
  const { createClient } = await import("../../core/client/client.js");
  const options = clientOptions(settingsFrom(parsed, terminal.environment, service), service);
  const client: ClientCore = asUsageError(() => createClient(options, service), service);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const cancelCommand = (loadService: ServiceLoader): MemberCommand => ({
  operand: "<id>",
  description:
    "Cancels your own request before it is sent: that of FXDESK_SERVICE_KEY, or else of your user of this machine.",
  flags: [jsonFlag],
  async run(parsed, terminal) {
    const id = parsed.operand;
    const service = await loadService();
    const cancelled = await withClient(parsed, terminal, service, (client) => client.orders.cancel(id));
    await printResult(parsed, terminal, cancelled, `${id} is ${cancelled.state}.\n`);
  },
});

const runCommand = (loadService: ServiceLoader): MemberCommand => ({
  description:
    "Executes requests as soon as they are released, until Ctrl-C. A call is sent exactly as it was released. An order is booked from fresh quotes within its limits, or not at all.",
  flags: [],
  hiddenFlags: connectionFlags(),
  helpSections: [connectionHelp()],
  async run(parsed, terminal) {
    const service = await loadService();
    const stopped = untilStopped();
    const keepAlive = setInterval(() => undefined, 60_000);
    await withClient(parsed, terminal, service, async (client) => {
      await client.orders.start();
      await writeReady(terminal, "Waiting for released requests. Press Ctrl-C to stop.");
      await stopped;
    }).finally(() => clearInterval(keepAlive));
  },
});

const serveCommand = (loadService: ServiceLoader): MemberCommand => ({
  description:
    "Serves a web page on which people release or refuse requests, until Ctrl-C. They sign in, and enter their secret again for each decision.",
  flags: serveFlags,
  helpSections: [mailHelp, monitoringHelp, ...releaseOptions.helpSections],
  run: (parsed, terminal) =>
    withReleaseService(parsed, terminal, async (releaseService, given) =>
      serveReleasesPage(parsed, terminal, releaseService, {
        store: storeSettingsFrom(parsed, terminal),
        files: await decisionFiles(given, loadService),
      }),
    ),
});

export const releasesCommands = (loadService: ServiceLoader): FindCommand =>
  commandGroup({
    name: "fxdesk releases",
    description:
      "Orders and calls that wait for release by a person, as required by the policy. People decide with their secret; requesters " +
      "cannot release their own requests.",
    options: releaseOptions,
    commands: {
      list: listCommand(loadService),
      show: showCommand(loadService),
      release: decideCommand(loadService, "release", releaseDescription),
      refuse: decideCommand(loadService, "refuse", refuseDescription),
      cancel: cancelCommand(loadService),
      run: runCommand(loadService),
      serve: serveCommand(loadService),
    },
  });
