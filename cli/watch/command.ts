/** fxdesk watch: what is new or has changed, each change once. */
import { introduction, describeOperation } from "../../core/declaration/describe-operation";
import type { Service } from "../../core/declaration/service";
import type { Watch } from "../../core/declaration/watch";
import { suggestions } from "../../core/suggestions";
import { fxdeskService } from "../../core/service";
import { type Flag, UsageError } from "../arguments";
import { inputFlag } from "../call/command";
import { fieldFlags, longValuesHelp } from "../call/field-flags";
import { exampleOf, optionalColumns } from "../call/operation-help";
import { type Command, jsonFlag } from "../command";
import { connectionFlags, connectionHelp } from "../connection-settings";
import { extensionsHelp } from "../extensions";
import { columns, joinSections, paragraph, section } from "../help";
import { watchCommandName } from "../flag-names";
import { printJson, write } from "../terminal";

/** Whose cursor it is unless its caller has a name. */
const defaultConsumer = "cli";

const sinceFlag = ({ day, defaultStart }: Watch): Flag => ({
  name: "since",
  value: day ? "<now|beginning|date>" : "<now|beginning>",
  description: `Where it begins the first time, ${defaultStart} by default; later it goes on where it was.`,
});

const watchFlags = (watch: Watch): Flag[] => [
  inputFlag,
  { name: "once", description: "Read now, tell what is new, and end." },
  sinceFlag(watch),
  {
    name: "name",
    value: "<text>",
    description: `Whose cursor it is: under different names each is told all changes. Default: ${defaultConsumer}.`,
  },
  {
    name: "every",
    value: "<seconds>",
    description: `How long after one read the next is made. Default: ${watch.everyMs / 1_000}.`,
  },
  {
    name: "jsonl",
    description: "One line of JSON for each change, errors too; what a pipe gets anyway.",
  },
];

const deliveryHelp =
  "Each change is told once, also over restarts, and where several processes watch the same under one name. What was " +
  "in hand when a process died is told again, as repeated. Ctrl-C ends it; what was told stays told.";

function watchHelp(watch: Watch): (string | undefined)[] {
  const described = describeOperation(watch);
  const longValues = longValuesHelp(watch);
  const { rules, responses } = described;
  return [
    longValues === undefined ? undefined : paragraph(longValues),
    paragraph(deliveryHelp),
    section("Rules", optionalColumns(rules.map(({ description }) => ["-", description] as const))),
    section(
      "Tells",
      optionalColumns(
        responses.flatMap(({ body }) =>
          (body?.fields ?? []).map(({ path, description }) => [path, description] as const),
        ),
      ),
    ),
    section("Example", exampleOf(`fxdesk watch ${watchCommandName(watch)}`, described)),
    "The connection comes from FXDESK_* variables: see fxdesk watch --help.",
  ];
}

function createWatchCommand(watch: Watch, service: Service): Command {
  const [fields, flags] = [fieldFlags(watch), watchFlags(watch)];
  const reservedFlags = new Set([...fields, ...flags].map(({ name }) => name));
  return {
    usage: `fxdesk watch ${watchCommandName(watch)} [flags]`,
    description: introduction(describeOperation(watch)),
    fields,
    flags,
    hiddenFlags: connectionFlags(service).filter((flag) => !reservedFlags.has(flag.name)),
    helpSections: watchHelp(watch),
    run: async (parsed, terminal) =>
      (await import("./run.js")).runWatch(
        watch,
        { service, reservedFlags, consumer: defaultConsumer },
        parsed,
        terminal,
      ),
  };
}

const toListItem = (watch: Watch) => {
  const { name, tool, title, summary, uses } = watch;
  return { word: watchCommandName(watch), name, tool, title, summary, uses };
};

/** Lists the watches. */
const createOverviewCommand = (service: Service): Command => {
  const { watches = [] } = service;
  return {
    usage: "fxdesk watch [<watch> [flags]]",
    description: "Lists the watches, or tells what one of them finds new or changed, each change once.",
    flags: [jsonFlag],
    helpSections: [
      paragraph("fxdesk watch <watch> --help shows the flags of one."),
      connectionHelp(service),
      extensionsHelp,
    ],
    async run(parsed, terminal) {
      if (parsed.boolean("json")) await printJson(terminal, watches.map(toListItem));
      else if (watches.length > 0)
        await write(
          terminal.stdout,
          joinSections(columns(watches.map((watch) => [watchCommandName(watch), watch.summary] as const))),
        );
      return 0;
    },
  };
};

function unknownWatchError(name: string, watches: readonly Watch[]): UsageError {
  const near = suggestions(name, watches.map(watchCommandName));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "fxdesk watch lists them.";
  return new UsageError(`There is no watch ${JSON.stringify(name)}. ${hint}`);
}

/** The command of the watch that the arguments name, by its word or its whole name, and the arguments that are left for it. */
export function watchCommand(
  args: readonly string[],
  service: Service = fxdeskService,
): [Command, readonly string[]] {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [createOverviewCommand(service), args];
  const { watches = [] } = service;
  const watch = watches.find((each) => watchCommandName(each) === name || each.name === name);
  if (!watch) throw unknownWatchError(name, watches);
  return [createWatchCommand(watch, service), rest];
}
