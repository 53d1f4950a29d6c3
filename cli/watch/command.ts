/** The `fxdesk watch` command: reports new and changed records, each change once. */
import { introduction, describeOperation } from "../../core/spec/describe-operation";
import type { Service } from "../../core/spec/service";
import type { Watch } from "../../core/spec/watch";
import { suggestions } from "../../core/values/suggestions";
import { type Flag, UsageError, watchCommandName } from "../command-line/arguments";
import { inputFlag } from "../call/command";
import { fieldFlags, longValuesHelp } from "../call/field-flags";
import { exampleOf, optionalColumns } from "../call/operation-help";
import { type Command, jsonFlag } from "../command-line/command";
import { connectionFlags, connectionHelp } from "../settings/connection-settings";
import { extensionsHelp } from "../settings/extensions";
import { columns, joinSections, paragraph, section } from "../command-line/help";
import { printJson, write } from "../terminal/terminal";

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
  const { rules, responses } = described;
  return [
    longValues === undefined ? undefined : paragraph(longValues),
    paragraph(deliveryHelp),
    section("Rules", optionalColumns(rules.map(({ description }) => ["-", description] as const))),
    section(
      "Fields of an entry",
      optionalColumns(
        responses.flatMap(({ body }) =>
          (body?.fields ?? []).map(({ path, description }) => [path, description] as const),
        ),
      ),
    ),
    section("Example", exampleOf(`fxdesk watch ${watchCommandName(watch)}`, described)),
    "Connection settings are FXDESK_* variables: see fxdesk watch --help.",
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
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "Run fxdesk watch for a list.";
  return new UsageError(`There is no watch ${JSON.stringify(name)}. ${hint}`);
}

/** Returns the command of the watch named by its short or full name, and its remaining arguments. */
export function watchCommand(args: readonly string[], service: Service): [Command, readonly string[]] {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [createOverviewCommand(service), args];
  const { watches = [] } = service;
  const watch = watches.find((each) => watchCommandName(each) === name || each.name === name);
  if (!watch) throw unknownWatchError(name, watches);
  return [createWatchCommand(watch, service), rest];
}
