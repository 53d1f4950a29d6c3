/** fxdesk call: one operation of the service. */
import { createClient } from "../../core/client/client";
import { operations as allOperations, type Declaration } from "../../core/operations";
import { type Flag, type Given, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import { asUsage, clientOptions, connectionFlags, connectionHelp, settingsFrom } from "../connection";
import { paragraph } from "../help";
import { nearest } from "../nearest";
import type { Terminal } from "../terminal";
import { printAnswer, printPages } from "./answer";
import { fieldFlags, inputFrom } from "./fields";
import { operationHelp } from "./help";
import { preview } from "./preview";
import { nameOfSource, type ReadSource, sourceReader } from "./sources";

const inputFlag: Flag = {
  name: "input",
  value: "<file|->",
  says: "Read the fields from a JSON file, or from stdin; flags win over it.",
};
const tableFlag: Flag = { name: "table", says: "Print a table instead of JSON." };
const allFlag: Flag = { name: "all", says: "Fetch every page." };
const outputFlag: Flag = { name: "output", value: "<path|->", says: "Where the file goes; - is stdout." };
const yesFlag: Flag = { name: "yes", says: "Send it: without this, show what would be sent and stop." };

const answersWith = ({ answers }: Declaration, ...kinds: readonly string[]): boolean =>
  Object.values(answers).some(({ kind }) => kinds.includes(kind));

/** The flags of calling an operation that are not its fields. */
export const callFlags = (operation: Declaration): Flag[] => [
  inputFlag,
  ...(answersWith(operation, "json") ? [tableFlag] : []),
  ...(operation.pages ? [allFlag] : []),
  ...(answersWith(operation, "file") ? [outputFlag] : []),
  ...(operation.effect === "money" ? [yesFlag] : []),
  jsonFlag,
];

async function fromFile(path: string | undefined, read: ReadSource): Promise<object> {
  if (path === undefined) return {};
  const source = nameOfSource(path);
  const input = asJson(await read("input", path), source);
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  throw new UsageError(`--input: ${source} must hold one JSON object with the fields of the operation.`);
}

function asJson(content: string, source: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`--input: ${source} is not JSON (${(error as Error).message}).`);
  }
}

/** A file goes where the person says; never, unasked, onto their screen. */
function outputOf(operation: Declaration, given: Given, { stdout }: Terminal): string {
  const output = given.text("output");
  if (output === undefined && stdout.isTTY && answersWith(operation, "file"))
    throw new UsageError(
      `${operation.name} answers a file: say where it goes with --output <path>, or --output - for this terminal.`,
    );
  return output ?? "-";
}

/**
 * Calls an operation with what the flags give, and prints its answer. `taken` are flags that are fields of the operation;
 * `usual` are settings in force unless others are given.
 */
export async function runCall(
  operation: Declaration,
  taken: ReadonlySet<string>,
  given: Given,
  terminal: Terminal,
  usual: Readonly<Record<string, string>> = {},
): Promise<number> {
  const options = clientOptions({ ...usual, ...settingsFrom(given, terminal.environment, taken) });
  const read = sourceReader(terminal);
  const input = {
    ...(await fromFile(given.text("input"), read)),
    ...(await inputFrom(operation, given, read)),
  };
  const printing = {
    asTable: given.switched("table") ?? false,
    asJson: given.switched("json") ?? false,
    output: outputOf(operation, given, terminal),
  };
  if (operation.effect === "money" && !given.switched("yes"))
    throw new UsageError(
      `${operation.name} commits or moves money, or changes who may approve it. Nothing was sent. ` +
        `With --yes this leaves:\n\n${preview(operation, input, options)}`,
    );
  const client = asUsage(() => createClient(options, [operation]));
  try {
    if (given.switched("all")) return await printPages(client.pages(operation, input), printing, terminal);
    const reply = await client.call(operation, input);
    return await printAnswer(reply, answersWith(operation, "file"), printing, terminal);
  } finally {
    await client.close();
  }
}

function operationCommand(operation: Declaration): Command {
  const [fields, flags] = [fieldFlags(operation), callFlags(operation)];
  const taken = new Set([...fields, ...flags].map(({ name }) => name));
  const { name, summary, notes } = operation;
  return {
    usage: `fxdesk call ${name} [flags]`,
    says: [summary, notes].filter(Boolean).join(" "),
    fields,
    flags,
    unlisted: connectionFlags.filter((flag) => !taken.has(flag.name)),
    more: operationHelp(operation),
    run: (given, terminal) => runCall(operation, taken, given, terminal),
  };
}

const anyOperation: Command = {
  usage: "fxdesk call <section.operation> [flags]",
  says: "Calls an operation of the service and prints its answer as JSON.",
  flags: [],
  more: [
    paragraph(
      "fxdesk operations lists the operations; fxdesk call <section.operation> --help shows the flags of one.",
    ),
    connectionHelp,
  ],
  run: () => {
    throw new UsageError("Which operation? fxdesk operations lists them.");
  },
};

function unknown(name: string, operations: readonly Declaration[]): UsageError {
  const names = operations.map((operation) => operation.name);
  const inSection = names.filter((known) => known.startsWith(`${name}.`));
  const near = inSection.length > 0 ? inSection : nearest(name, names);
  const byTool = operations.filter(({ tool }) => tool === name).map((operation) => operation.name);
  const meant = byTool.length > 0 ? byTool : near;
  const hint = meant.length > 0 ? `Did you mean ${meant.join(", ")}?` : "fxdesk operations lists them.";
  return new UsageError(`There is no operation ${JSON.stringify(name)}. ${hint}`);
}

/** The command of the operation that the arguments name, and the arguments that are left for it. */
export function callCommand(
  args: readonly string[],
  operations: readonly Declaration[] = allOperations,
): [Command, readonly string[]] {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [anyOperation, args];
  const operation = operations.find((known) => known.name === name);
  if (!operation) throw unknown(name, operations);
  return [operationCommand(operation), rest];
}
