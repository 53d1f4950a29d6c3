/** The `fxdesk watch` command: reports new and changed records, each change once. */
import { introduction, describeOperation } from "../../core/spec/describe-operation";
import type { Service } from "../../core/spec/service";
import type { Watch } from "../../core/spec/watch";
import { type Flag, unknownWordError, watchCommandName } from "../command-line/arguments";
import { derivedCommand, inputFlag } from "../call/command";
import { longValuesHelp } from "../call/field-flags";
import { exampleOf, rulesHelp } from "../call/operation-help";
import {
  type Command,
  columns,
  type FindCommand,
  jsonFlag,
  paragraph,
  printResult,
  section,
} from "../command-line/command";
import { connectionFlags, connectionHelp, extensionsHelp } from "../settings/connection-settings";

/** Name of the cursor if --name is not given. */
const defaultConsumer = "cli";

const sinceFlag = ({ day, defaultStart }: Watch): Flag => ({
  name: "since",
  value: day ? "<now|beginning|date>" : "<now|beginning>",
  description: `Starting point of the first run. Default: ${defaultStart}. Later runs continue where the last one stopped.`,
});

const watchFlags = (watch: Watch): Flag[] => [
  inputFlag,
  { name: "once", description: "Check once, print new changes, and exit." },
  sinceFlag(watch),
  {
    name: "name",
    value: "<text>",
    description: `Name of the saved position. Each name receives all changes. Default: ${defaultConsumer}.`,
  },
  {
    name: "every",
    value: "<seconds>",
    description: `Seconds between two checks. Default: ${watch.everyMs / 1_000}.`,
  },
  {
    name: "jsonl",
    description: "Print one line of JSON per change, and errors as JSON. Changes in a pipe are always JSON.",
  },
];

const deliveryHelp =
  "Each change is printed once, across restarts and across processes with the same --name. If a process is killed, its last " +
  "change is printed again, marked as repeated. Press Ctrl-C to stop; the next run continues after the last printed change.";

function watchHelp(watch: Watch): (string | undefined)[] {
  const described = describeOperation(watch);
  const longValues = longValuesHelp(watch);
  const entryFields = described.responses.flatMap(({ body }) =>
    (body?.fields ?? []).map(({ path, description }) => [path, description] as const),
  );
  return [
    longValues && paragraph(longValues),
    paragraph(deliveryHelp),
    rulesHelp(described),
    section("Fields of an entry", entryFields),
    section("Example", exampleOf(`fxdesk watch ${watchCommandName(watch)}`, described)),
    "Connection settings are FXDESK_* variables: see fxdesk watch --help.",
  ];
}

function createWatchCommand(watch: Watch, service: Service): Command {
  const { reservedFlags, ...derived } = derivedCommand(watch, watchFlags(watch), connectionFlags(service));
  return {
    ...derived,
    usage: `fxdesk watch ${watchCommandName(watch)} [flags]`,
    description: introduction(describeOperation(watch)),
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

/** Returns the command that lists the watches. */
const createOverviewCommand = (service: Service): Command => {
  const { watches = [] } = service;
  return {
    usage: "fxdesk watch [<watch> [flags]]",
    description: "Lists the watches, or runs one: it reports new and changed records, each change once.",
    flags: [jsonFlag],
    helpSections: [
      paragraph("Run fxdesk watch <watch> --help for the flags of one watch."),
      connectionHelp(service),
      extensionsHelp,
    ],
    async run(parsed, terminal) {
      const rows = watches.map((watch) => [watchCommandName(watch), watch.summary] as const);
      const text = watches.length > 0 ? `${columns(rows)}\n` : "";
      await printResult(parsed, terminal, watches.map(toListItem), text);
    },
  };
};

/** Finds the watch that the first argument names, by its short or full name. */
export function watchCommands(service: Service): FindCommand {
  const find: FindCommand = (args) => {
    const [name, ...rest] = args;
    if (name === undefined || name.startsWith("-")) return [createOverviewCommand(service), args];
    const { watches = [] } = service;
    const watch = watches.find((each) => watchCommandName(each) === name || each.name === name);
    if (watch) return [createWatchCommand(watch, service), rest];
    throw unknownWordError(
      `There is no watch ${JSON.stringify(name)}`,
      name,
      watches.map(watchCommandName),
      "Run fxdesk watch for a list.",
    );
  };
  return Object.assign(find, { words: (service.watches ?? []).map(watchCommandName) });
}
