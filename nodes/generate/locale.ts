/** The words of the editor and of the status texts, in English. */
import { environmentName, settingsOf } from "../../core/client/settings";
import { type Callable, effectDescriptions } from "../../core/declaration/operation";
import { declarationsOf, type Service } from "../../core/declaration/service";
import { inputFields, pageOf } from "../../core/declaration/described-page";
import { callSlug, inNodeWords, slugOf, watchSlug } from "../names";

interface Words {
  readonly label: string;
  readonly description: string;
}

/** What every form says. */
const form = {
  name: "Name",
  connection: "Connection",
  optional: "Optional fields",
  way: "Given by",
  options: "Options",
  choose: "choose …",
  unset: "not set",
  usually: "not set (__value__)",
  template: "template",
  fromPayload: "Take empty fields from the properties of msg.payload with the same name",
  pages: "Pages",
  pagesOne: "One page",
  pagesAll: "All pages, as one message",
  pagesEach: "All pages, a message for each",
  pagesItems: "All pages, a message for each entry",
  requestKey: "Request key",
  requestKeyDescription:
    "Stands for this call alone: the same call with the same key is not sent twice. Never the identifier of a message.",
  rows: "Entries",
  rowsWhole: "One message with all of the result",
  rowsEach: "A message for each entry",
  resultTo: "Result in",
  errorOutput: "Errors leave by a second output instead of going to Catch nodes",
  timeoutMs: "Time limit (ms)",
  timeoutHint: "as the connection",
  saveTo: "Save to",
  saveToHint: "path of a file; empty: into msg.payload",
  required: "__field__ is required",
  operation: "Operation",
  watch: "Watch",
  operationHint: "search, or write a name",
  matches_one: "1 operation",
  matches_other: "__count__ operations",
  effect: effectDescriptions,
  takes: "Fields: __fields__",
  try: "Try it",
  trying: "Trying …",
  tried: "Status __status__, __count__ entries.",
  triedCut: "Status __status__, __count__ entries; the beginning of the response:",
  tryUnconnected: "Choose a connection first.",
  response: "Response",
  input: "Input",
  from: "Begins at",
  every: "Every (s)",
} as const;

const connection = {
  fromEnvironment: "Read all settings from the environment",
  environment: "environment",
  variables: "Set these variables where Node-RED runs:",
  settingsDescription: "A field may hold an environment variable, written ${NAME}.",
  secrets: "Secrets",
  secretsDescription: "Kept encrypted by Node-RED, never in a flow.",
  tls: "Client certificate",
  login: "Log in",
  loginWaits: "Waiting until you have logged in …",
  loginDone: "Logged in for client __client__ in the environment __environment__. Update and deploy.",
  loginNoClient:
    "Logged in in the environment __environment__. Set the client: __clients__. Then update and deploy.",
  loginOver: "Nobody has logged in in time.",
  test: "Test",
  testWaits: "Trying …",
  testDone: "Reached __address__, environment __environment__, authorised for client __client__.",
  testFailed: "Environment __environment__, client __client__: __message__",
} as const;

const status = {
  calling: "__count__ under way",
  waiting: "__count__ wait",
  entries_one: "1 entry",
  entries_other: "__count__ entries",
  someEntries_one: "1 entry, and more",
  someEntries_other: "__count__ entries, more",
  accepted: "accepted",
  done: "done",
  unconnected: "no connection",
  noOperation: "no such operation",
  reading: "reading",
  watching: "watching",
  changes_one: "1 change",
  changes_other: "__count__ changes",
  held: "another is at it",
  incomplete: "not all was read",
} as const;

const entries = <T>(list: readonly T[], entry: (item: T) => [string, unknown]) =>
  Object.fromEntries(list.map(entry));

function operationWords(operation: Callable, service: Service) {
  const callables = declarationsOf(service);
  const page = pageOf(operation);
  const fields = entries(inputFields(page), ({ name, title, description }) => [
    name,
    { label: title, description: inNodeWords(description, callables) } satisfies Words,
  ]);
  return { label: page.title, description: inNodeWords(page.summary, callables), fields };
}

const callWords = {
  label: "Call operation",
  description: "Calls any operation of the connection, those of extensions included.",
  fields: {},
};

const watchWords = {
  label: "Watch",
  description: "Tells the changes of any watch of the connection, those of extensions included.",
  fields: {},
};

/** The locale catalogue of the node set. */
export const localeCatalogue = (service: Service) => ({
  form,
  connection: {
    ...connection,
    settings: entries(settingsOf(service), ({ name, title, description }) => [
      name,
      { label: title, description, variable: environmentName(name) },
    ]),
  },
  status,
  operations: {
    [callSlug]: callWords,
    [watchSlug]: watchWords,
    ...entries(declarationsOf(service), (operation) => [
      slugOf(operation),
      operationWords(operation, service),
    ]),
  },
});
