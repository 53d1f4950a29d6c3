/** The words of the editor and of the status texts, in English. */
import { environmentName, settingsOf } from "../../core/client/settings";
import { type Declaration, effectDescriptions } from "../../core/declaration/operation";
import type { Service } from "../../core/declaration/service";
import { callerFields } from "../../core/declaration/fields";
import { callSlug, inNodeWords, slugOf } from "../names";

interface Words {
  readonly label: string;
  readonly description: string;
}

/** What every form says. */
const form = {
  name: "Name",
  connection: "Connection",
  optional: "Optional fields",
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
  timeoutMs: "Time limit (ms)",
  timeoutHint: "as the connection",
  saveTo: "Save to",
  saveToHint: "path of a file; empty: into msg.payload",
  required: "__field__ is required",
  operation: "Operation",
  operationHint: "search, or write a name",
  matches_one: "1 operation",
  matches_other: "__count__ operations",
  effect: effectDescriptions,
  takes: "Fields: __fields__",
  input: "Input",
} as const;

const connection = {
  fromEnvironment: "Read all settings from the environment",
  environment: "environment",
  variables: "Set these variables where Node-RED runs:",
  settingsDescription: "A field may hold an environment variable, written ${NAME}.",
  secrets: "Secrets",
  secretsDescription: "Kept encrypted by Node-RED, never in a flow.",
  tls: "Client certificate",
} as const;

const status = {
  calling: "__count__ under way",
  entries_one: "1 entry",
  entries_other: "__count__ entries",
  someEntries_one: "1 entry, and more",
  someEntries_other: "__count__ entries, more",
  accepted: "accepted",
  done: "done",
  unconnected: "no connection",
  noOperation: "no such operation",
} as const;

const entries = <T>(list: readonly T[], entry: (item: T) => [string, unknown]) =>
  Object.fromEntries(list.map(entry));

function operationWords(operation: Declaration, { operations }: Service) {
  const fields = entries(callerFields(operation), ({ name, title, description }) => [
    name,
    { label: title, description: inNodeWords(description, operations) } satisfies Words,
  ]);
  return { label: operation.title, description: inNodeWords(operation.summary, operations), fields };
}

const callWords = {
  label: "Call operation",
  description: "Calls any operation of the connection, those of extensions included.",
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
    ...entries(service.operations, (operation) => [slugOf(operation), operationWords(operation, service)]),
  },
});
