/** fxdesk watch: what is new or has changed, each change once. */
import { introduction, pageOf } from "../../core/declaration/described-page";
import type { Service } from "../../core/declaration/service";
import type { Watch } from "../../core/declaration/watch";
import { nearest } from "../../core/nearest";
import { fxdeskService } from "../../core/service";
import { type Flag, UsageError } from "../arguments";
import { inputFlag } from "../call/command";
import { fieldFlags, longValuesHelp } from "../call/fields";
import { exampleOf, rows } from "../call/help";
import { type Command, jsonFlag } from "../command";
import { connectionFlags, connectionHelp } from "../connection";
import { extensionsHelp } from "../extensions";
import { columns, page, paragraph, section } from "../help";
import { watchWord } from "../names";
import { printJson, write } from "../terminal";

/** Whose cursor it is unless its caller has a name. */
const usualConsumer = "cli";

const sinceFlag = ({ day, begins }: Watch): Flag => ({
  name: "since",
  value: day ? "<now|beginning|date>" : "<now|beginning>",
  description: `Where it begins the first time, ${begins} by default; later it goes on where it was.`,
});

const flagsOf = (watch: Watch): Flag[] => [
  inputFlag,
  { name: "once", description: "Read now, tell what is new, and end." },
  sinceFlag(watch),
  {
    name: "name",
    value: "<text>",
    description: `Whose cursor it is: under different names each is told all changes. Default: ${usualConsumer}.`,
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

const onceTold =
  "Each change is told once, also over restarts, and where several processes watch the same under one name. What was " +
  "in hand when a process died is told again, as repeated. Ctrl-C ends it; what was told stays told.";

function watchHelp(watch: Watch): (string | undefined)[] {
  const described = pageOf(watch);
  const longValues = longValuesHelp(watch);
  const { rules, responses } = described;
  return [
    longValues === undefined ? undefined : paragraph(longValues),
    paragraph(onceTold),
    section("Rules", rows(rules.map(({ description }) => ["-", description] as const))),
    section(
      "Tells",
      rows(
        responses.flatMap(({ body }) =>
          (body?.fields ?? []).map(({ path, description }) => [path, description] as const),
        ),
      ),
    ),
    section("Example", exampleOf(`fxdesk watch ${watchWord(watch)}`, described)),
    "The connection comes from FXDESK_* variables: see fxdesk watch --help.",
  ];
}

function oneWatch(watch: Watch, service: Service): Command {
  const [fields, flags] = [fieldFlags(watch), flagsOf(watch)];
  const taken = new Set([...fields, ...flags].map(({ name }) => name));
  return {
    usage: `fxdesk watch ${watchWord(watch)} [flags]`,
    description: introduction(pageOf(watch)),
    fields,
    flags,
    unlisted: connectionFlags(service).filter((flag) => !taken.has(flag.name)),
    more: watchHelp(watch),
    run: async (parsed, terminal) =>
      (await import("./run.js")).runWatch(
        watch,
        { service, taken, consumer: usualConsumer },
        parsed,
        terminal,
      ),
  };
}

const listed = (watch: Watch) => {
  const { name, tool, title, summary, uses } = watch;
  return { word: watchWord(watch), name, tool, title, summary, uses };
};

/** Lists the watches. */
const anyWatch = (service: Service): Command => {
  const { watches = [] } = service;
  return {
    usage: "fxdesk watch [<watch> [flags]]",
    description: "Lists the watches, or tells what one of them finds new or changed, each change once.",
    flags: [jsonFlag],
    more: [
      paragraph("fxdesk watch <watch> --help shows the flags of one."),
      connectionHelp(service),
      extensionsHelp,
    ],
    async run(parsed, terminal) {
      if (parsed.switched("json")) await printJson(terminal, watches.map(listed));
      else if (watches.length > 0)
        await write(
          terminal.stdout,
          page(columns(watches.map((watch) => [watchWord(watch), watch.summary] as const))),
        );
      return 0;
    },
  };
};

function unknown(name: string, watches: readonly Watch[]): UsageError {
  const near = nearest(name, watches.map(watchWord));
  const hint = near.length > 0 ? `Did you mean ${near.join(" or ")}?` : "fxdesk watch lists them.";
  return new UsageError(`There is no watch ${JSON.stringify(name)}. ${hint}`);
}

/** The command of the watch that the arguments name, by its word or its whole name, and the arguments that are left for it. */
export function watchCommand(
  args: readonly string[],
  service: Service = fxdeskService,
): [Command, readonly string[]] {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [anyWatch(service), args];
  const { watches = [] } = service;
  const watch = watches.find((each) => watchWord(each) === name || each.name === name);
  if (!watch) throw unknown(name, watches);
  return [oneWatch(watch, service), rest];
}
