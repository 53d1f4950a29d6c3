/** The `fxdesk call` command: calls one operation or procedure. */
import { isPaged } from "../../core/call/pages";
import { type Callable, callablesOf, type Service } from "../../core/operations";
import { introduction, describeOperation } from "../../core/spec/describe-operation";
import { mayRespondWith } from "../../core/spec/operation";
import {
  type Flag,
  joinWords,
  unknownWordError,
  UsageError,
  watchCommandName,
} from "../command-line/arguments";
import { type Command, type FindCommand, jsonFlag, paragraph } from "../command-line/command";
import { connectionHelp, extensionsHelp } from "../settings/connection-settings";
import { connectionAndProfileFlags, profileHelp } from "../settings/profile";
import { fieldFlags } from "./field-flags";
import { operationHelp } from "./operation-help";
import { printFormats } from "./print-format";

export const inputFlag: Flag = {
  name: "input",
  value: "<file|->",
  description: "Read the fields from a JSON file, or from stdin (-). Flags take precedence.",
};
const printFlags = ({ resultList }: Callable): readonly Flag[] => [
  {
    name: "print",
    value: `<${printFormats.join("|")}>`,
    description:
      resultList === undefined
        ? "Format of the response. Default: json. jsonl has one entry per line."
        : `Format of the response. Default: json. csv and jsonl print only ${resultList}, table also the other values.`,
  },
  {
    name: "columns",
    value: "<a,b,…>",
    description:
      "Columns of csv and table, in this order. Nested fields have a dot, for example amount.currency.",
  },
  { name: "table", description: "The same as --print table." },
];
const allFlag: Flag = { name: "all", description: "Fetch all pages of the list." };
const outputFlag: Flag = {
  name: "output",
  value: "<path|->",
  description: "Save the file here; - writes it to stdout.",
};
const folderFlag: Flag = {
  name: "output",
  value: "<file|folder>",
  description:
    "Save the files in this folder, which is created if needed, or in this file if its name has an extension. Existing files are not replaced. Default: the current folder.",
};
const yesFlag: Flag = {
  name: "yes",
  description: "Send the request. Without --yes, the command sends nothing and shows a preview.",
};

const keyFlag: Flag = {
  name: "key",
  value: "<text>",
  description: "Idempotency key: repeating the call with the same key does not send it twice.",
};
/** Returns the key flag; the default key is the single-use field, if the operation has one. */
const keyFlagOf = ({ singleUseField }: Callable): Flag =>
  singleUseField === undefined
    ? keyFlag
    : { ...keyFlag, description: `${keyFlag.description} Default: the value of ${singleUseField}.` };

/** Returns the flags of `fxdesk call` for an operation, without those of its fields. */
export const callFlags = (operation: Callable): Flag[] => [
  inputFlag,
  ...(mayRespondWith(operation, "json") ? printFlags(operation) : []),
  // Fetching further pages would send a money call more than once.
  ...(isPaged(operation) && operation.effect !== "money" ? [allFlag] : []),
  ...(mayRespondWith(operation, "file") ? [outputFlag] : []),
  ...(operation.deliversFiles ? [folderFlag] : []),
  ...(operation.effect === "money" ? [keyFlagOf(operation), yesFlag] : []),
  jsonFlag,
];

/** The parts of a command that derive from the fields of an operation or watch. `settings` are its hidden setting flags. */
export function derivedCommand(
  operation: Callable,
  flags: readonly Flag[],
  settings: readonly Flag[],
): Required<Pick<Command, "fields" | "flags" | "hiddenFlags">> & {
  readonly reservedFlags: ReadonlySet<string>;
} {
  const fields = fieldFlags(operation);
  const reservedFlags = new Set([...fields, ...flags].map(({ name }) => name));
  return {
    fields,
    flags,
    reservedFlags,
    hiddenFlags: settings.filter((flag) => !reservedFlags.has(flag.name)),
  };
}

function operationCommand(operation: Callable, service: Service): Command {
  const { reservedFlags, ...derived } = derivedCommand(
    operation,
    callFlags(operation),
    connectionAndProfileFlags(service),
  );
  return {
    ...derived,
    usage: `fxdesk call ${operation.name} [flags]`,
    description: introduction(describeOperation(operation)),
    helpSections: operationHelp(operation),
    run: async (parsed, terminal) =>
      (await import("./run.js")).runCall(operation, { service, reservedFlags }, parsed, terminal),
  };
}

const callOverview = (service: Service): Command => ({
  usage: "fxdesk call <section.operation> [flags]",
  description: "Calls an operation or procedure and prints its response as JSON.",
  flags: [],
  helpSections: [
    paragraph(
      "Run fxdesk operations for a list, and fxdesk call <section.operation> --help for the flags of one operation.",
    ),
    connectionHelp(service),
    profileHelp,
    extensionsHelp,
  ],
  run: () => {
    throw new UsageError(
      "Name an operation: fxdesk call <section.operation>. Run fxdesk operations for a list.",
    );
  },
});

function unknownOperationError(
  name: string,
  operations: readonly Callable[],
  { watches = [] }: Service,
): UsageError {
  const watch = watches.find((each) => each.name === name);
  if (watch) return new UsageError(`${name} is a watch. Run fxdesk watch ${watchCommandName(watch)}.`);
  // A typo must not lead to a change.
  const names = operations.filter(({ effect }) => effect === "read").map((operation) => operation.name);
  const related = operations.filter((known) => known.tool === name || known.name.startsWith(`${name}.`));
  const problem = `There is no operation ${JSON.stringify(name)}`;
  return related.length > 0
    ? new UsageError(`${problem}. Did you mean ${joinWords(related.map((known) => known.name))}?`)
    : unknownWordError(problem, name, names, "Run fxdesk operations for a list.");
}

/** Finds the operation or procedure that the first argument names. */
export function callCommands(service: Service): FindCommand {
  const find: FindCommand = (args) => {
    const [name, ...rest] = args;
    if (name === undefined || name.startsWith("-")) return [callOverview(service), args];
    const operations = callablesOf(service);
    const operation = operations.find((known) => known.name === name);
    if (!operation) throw unknownOperationError(name, operations, service);
    return [operationCommand(operation, service), rest];
  };
  return Object.assign(find, { words: callablesOf(service).map(({ name }) => name) });
}
