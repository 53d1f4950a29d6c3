/** fxdesk call: one operation of the service. */
import { isPaged } from "../../core/client/pages";
import { type Callable, callablesOf, type Service } from "../../core/operations";
import { fxdeskService } from "../../core/service";
import { introduction, describeOperation } from "../../core/declaration/describe-operation";
import { mayRespondWith } from "../../core/declaration/operation";
import { type Flag, UsageError } from "../arguments";
import { type Command, jsonFlag } from "../command";
import { connectionHelp } from "../connection-settings";
import { extensionsHelp } from "../extensions";
import { connectionAndProfileFlags, profileHelp } from "../profile";
import { paragraph } from "../help";
import { suggestions } from "../../core/suggestions";
import { watchCommandName } from "../flag-names";
import { fieldFlags } from "./field-flags";
import { operationHelp } from "./operation-help";

export const inputFlag: Flag = {
  name: "input",
  value: "<file|->",
  description: "Read the fields from a JSON file, or from stdin; flags win over it.",
};
const tableFlag = ({ resultList }: Callable): Flag => ({
  name: "table",
  description:
    resultList === undefined
      ? "Print a table instead of JSON."
      : `Print ${resultList} as a table instead of JSON, with the rest of the result above it.`,
});
const allFlag: Flag = { name: "all", description: "Fetch every page." };
const outputFlag: Flag = {
  name: "output",
  value: "<path|->",
  description: "Where the file goes; - is stdout.",
};
const folderFlag: Flag = {
  name: "output",
  value: "<folder>",
  description: "Where the files go; made where it is not there. Default: this folder.",
};
const yesFlag: Flag = {
  name: "yes",
  description: "Send it: without this, show what would be sent and stop.",
};

const keyFlag: Flag = {
  name: "key",
  value: "<text>",
  description: "Stands for this call and no other: the same call with the same key again is not sent twice.",
};
/** Where a field can be used once, it is the key unless another one is given. */
const keyFlagOf = ({ singleUseField }: Callable): Flag =>
  singleUseField === undefined
    ? keyFlag
    : { ...keyFlag, description: `${keyFlag.description} By default ${singleUseField} is its key.` };

/** The flags of calling an operation that are not its fields. */
export const callFlags = (operation: Callable): Flag[] => [
  inputFlag,
  ...(mayRespondWith(operation, "json") ? [tableFlag(operation)] : []),
  // Money is sent once.
  ...(isPaged(operation) && operation.effect !== "money" ? [allFlag] : []),
  ...(mayRespondWith(operation, "file") ? [outputFlag] : []),
  ...(operation.deliversFiles ? [folderFlag] : []),
  ...(operation.effect === "money" ? [keyFlagOf(operation), yesFlag] : []),
  jsonFlag,
];

function operationCommand(operation: Callable, service: Service): Command {
  const [fields, flags] = [fieldFlags(operation), callFlags(operation)];
  const reservedFlags = new Set([...fields, ...flags].map(({ name }) => name));
  return {
    usage: `fxdesk call ${operation.name} [flags]`,
    description: introduction(describeOperation(operation)),
    fields,
    flags,
    hiddenFlags: connectionAndProfileFlags(service).filter((flag) => !reservedFlags.has(flag.name)),
    helpSections: operationHelp(operation),
    run: async (parsed, terminal) =>
      (await import("./run.js")).runCall(operation, { service, reservedFlags }, parsed, terminal),
  };
}

const callOverview = (service: Service): Command => ({
  usage: "fxdesk call <section.operation> [flags]",
  description: "Calls an operation of the service and prints its response as JSON.",
  flags: [],
  helpSections: [
    paragraph(
      "fxdesk operations lists the operations; fxdesk call <section.operation> --help shows the flags of one.",
    ),
    connectionHelp(service),
    paragraph(profileHelp),
    extensionsHelp,
  ],
  run: () => {
    throw new UsageError("Which operation? fxdesk operations lists them.");
  },
});

function unknownOperationError(
  name: string,
  operations: readonly Callable[],
  { watches = [] }: Service,
): UsageError {
  const watch = watches.find((each) => each.name === name);
  if (watch) return new UsageError(`${name} is a watch: fxdesk watch ${watchCommandName(watch)}.`);
  const names = operations.map((operation) => operation.name);
  const inSection = names.filter((known) => known.startsWith(`${name}.`));
  const near = inSection.length > 0 ? inSection : suggestions(name, names);
  const byTool = operations.filter(({ tool }) => tool === name).map((operation) => operation.name);
  const suggested = byTool.length > 0 ? byTool : near;
  const hint =
    suggested.length > 0 ? `Did you mean ${suggested.join(", ")}?` : "fxdesk operations lists them.";
  return new UsageError(`There is no operation ${JSON.stringify(name)}. ${hint}`);
}

/** The command of the operation that the arguments name, and the arguments that are left for it. */
export function callCommand(
  args: readonly string[],
  service: Service = fxdeskService,
): [Command, readonly string[]] {
  const [name, ...rest] = args;
  if (name === undefined || name.startsWith("-")) return [callOverview(service), args];
  const operations = callablesOf(service);
  const operation = operations.find((known) => known.name === name);
  if (!operation) throw unknownOperationError(name, operations, service);
  return [operationCommand(operation, service), rest];
}
