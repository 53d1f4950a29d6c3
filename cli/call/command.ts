/** fxdesk call: one operation of the service. */
import { comesInPages } from "../../core/client/pages";
import { contract, type Declaration, type Service } from "../../core/operations";
import { mayRespondWith } from "../../core/declaration/operation";
import { type Flag, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import { connectionFlags, connectionHelp } from "../connection";
import { extensionsHelp } from "../extensions";
import { paragraph } from "../help";
import { nearest } from "../../core/nearest";
import { fieldFlags } from "./fields";
import { operationHelp } from "./help";

const inputFlag: Flag = {
  name: "input",
  value: "<file|->",
  description: "Read the fields from a JSON file, or from stdin; flags win over it.",
};
const tableFlag: Flag = { name: "table", description: "Print a table instead of JSON." };
const allFlag: Flag = { name: "all", description: "Fetch every page." };
const outputFlag: Flag = {
  name: "output",
  value: "<path|->",
  description: "Where the file goes; - is stdout.",
};
const yesFlag: Flag = {
  name: "yes",
  description: "Send it: without this, show what would be sent and stop.",
};

/** The flags of calling an operation that are not its fields. */
export const callFlags = (operation: Declaration): Flag[] => [
  inputFlag,
  ...(mayRespondWith(operation, "json") ? [tableFlag] : []),
  // Money is sent once.
  ...(comesInPages(operation) && operation.effect !== "money" ? [allFlag] : []),
  ...(mayRespondWith(operation, "file") ? [outputFlag] : []),
  ...(operation.effect === "money" ? [yesFlag] : []),
  jsonFlag,
];

function operationCommand(operation: Declaration, service: Service): Command {
  const [fields, flags] = [fieldFlags(operation), callFlags(operation)];
  const taken = new Set([...fields, ...flags].map(({ name }) => name));
  const { name, summary, notes } = operation;
  return {
    usage: `fxdesk call ${name} [flags]`,
    description: [summary, notes].filter(Boolean).join(" "),
    fields,
    flags,
    unlisted: connectionFlags(service).filter((flag) => !taken.has(flag.name)),
    more: operationHelp(operation),
    run: async (parsed, terminal) =>
      (await import("./run.js")).runCall(operation, { service, taken }, parsed, terminal),
  };
}

const anyOperation = (service: Service): Command => ({
  usage: "fxdesk call <section.operation> [flags]",
  description: "Calls an operation of the service and prints its response as JSON.",
  flags: [],
  more: [
    paragraph(
      "fxdesk operations lists the operations; fxdesk call <section.operation> --help shows the flags of one.",
    ),
    connectionHelp(service),
    extensionsHelp,
  ],
  run: () => {
    throw new UsageError("Which operation? fxdesk operations lists them.");
  },
});

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
  service: Service = contract,
): [Command, readonly string[]] {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [anyOperation(service), args];
  const { operations } = service;
  const operation = operations.find((known) => known.name === name);
  if (!operation) throw unknown(name, operations);
  return [operationCommand(operation, service), rest];
}
