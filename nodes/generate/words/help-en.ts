/** English texts of the node help, except those taken from declarations. */

/** Selects the text of the declaration instead. */
const asDeclared = "";

export const englishHelp = {
  headings: {
    fields: "Fields",
    outputs: "Outputs",
    details: "Details",
    errors: "Errors",
    references: "References",
    settings: "Settings",
    changes: "Changes",
    status: "Status",
  },
  /** Translated summaries of operations, procedures and watches, by name. */
  summaries: {} as Readonly<Record<string, string>>,
  oneOf: "One of: __options__",
  anyOf: "Any of: __options__",
  usually: "Default: __value__",
  eachEntry: "Each entry of __paths__:",
  /** Type of msg.payload after a response without a body. */
  untouched: "unchanged",
  orText: " or string",
  asItIsNow: "In its current state; null if it no longer exists.",
  entry: "The entry in its current state; null if it no longer exists.",
  body: "The body of the response.",
  filename: "The name the service suggests, or the path the file was saved to.",
  contentType: "The media type of the file.",
  statusCode: "The HTTP status of the response.",
  metadata:
    "Details of the response, in every mode: operation, status, headers, requestId, attempts, violations, total. For a call that commits money, also its journal entry and whether the result was replayed from the journal. For a paged list, also the number of pages read and whether more follow.",
  repetition: { read: asDeclared, change: asDeclared, money: asDeclared },
  paging: asDeclared,
  unknownOutcome: "The error code of a lost response is outcome_unknown.",
  sendingPages:
    "The node sends one page, all pages as one message, one message per page, or one message per entry. The last two form a sequence (msg.parts) that a Join node can combine. The node reads the next page once the following nodes have finished with the messages of the previous page.",
  sendingRows:
    "The node sends the whole result as one message, or one message per entry of __rows__. The messages form a sequence (msg.parts) and carry the rest of the result in msg.fxdesk.result. An empty list produces no message.",
  asking:
    "Set msg.timeoutMs to change the time limit of this call. A message with msg.cancel makes no call: it stops the reads of this node for the messages with that msg.fxdesk.key (or _msgid), or all reads if it is true.",
  key: {
    means:
      "The request key identifies this one call, for example by an invoice number. It is read from msg.fxdesk.key unless the form sets another source",
    needed: "Without a key, nothing is sent.",
    optional: "It is optional.",
    usual: "It defaults to __usual__.",
    again:
      "The same call with the same key is not sent again: the node sends the recorded outcome, with msg.fxdesk.journal.replayed set to true. A different call with the same key is refused",
    noIdentifier: "A message ID is refused as a key because copies of a message share it",
  },
  filling:
    "Fill in the fields in the form. To use values of the message, choose msg as the source of a field, or let empty fields take the properties of msg.payload with the same name.",
  values:
    "A field takes a fixed value, a property of the message, the flow or the global context, a JSONata expression, an environment variable, or a mustache template such as {{payload.id}}. Empty fields are omitted.",
  caught:
    "Errors go to Catch nodes. msg.error.message says what to do, msg.error.code is stable across versions, and msg.error.cause holds outcome, status, retryable, requestId, violations and the service's own code, message and details.",
  call: {
    pages: "Lists can be paged.",
    summary: "Calls any operation of the connection, including those of extensions.",
    operation: "Name of the operation, such as trades.list. Choose or enter it in the form.",
    input: "The fields of the operation by name, or JSON text of them. Defaults to msg.payload.",
    details: [
      "The operations of the contract have their own nodes. This node also calls operations that an extension module adds. Set FXDESK_EXTENSIONS to the path of the module in the environment of Node-RED. The list in the form shows all operations; effect and fields of the chosen one appear below it.",
      "The input is msg.payload or the value chosen in the form: another property of the message, the flow or the global context, JSON, a JSONata expression, an environment variable, or a mustache template.",
      "If the result is a list with totals or notes, the node sends the whole result, or one message per entry with the rest in msg.fxdesk.result.",
      "An operation that commits or moves money is sent once and never retried. If its response is lost, the error code is outcome_unknown and the message says what to check. Every operation of an extension that is not a GET counts as committing money unless FXDESK_EXTENSION_EFFECTS lists it.",
      "The request key, by default msg.fxdesk.key, identifies one such call. The same call with the same key is not sent again: the node sends the recorded outcome. Payments require a key.",
    ],
  },
  watch: {
    summary: "Reports the changes of any watch of the connection, including those of extensions.",
    watch: "Name of the watch, such as trades.watch. Choose or enter it in the form.",
    input: "The fields of the watch by name.",
    topic: "The name of the watch.",
    change:
      "The change: its kind (new, changed or gone), the id of the entry, the compared values before the change (before), the time it was found (at), and whether it was delivered before (repeated).",
    state:
      "The state of the watch: state (reading, waiting, held, failed, incomplete, ended), until, error with code and message, gaps.",
    details: [
      "The watch starts with the deploy, sends one message per change and stops with the next deploy. Each change is delivered once, also across restarts: the store keeps the position under the ID of the node. Changes that were being delivered when Node-RED was killed are delivered again, with repeated set to true.",
      "The form sets where the watch starts the first time. If its fields change, it starts from there again. A failed read is retried after a pause that grows to five minutes.",
      "A field takes a fixed value, an environment variable, or a value of the flow or the global context. It is read once, at the start.",
    ],
  },
  connection: {
    summary:
      "A connection to the service. The nodes that use it share its access token, rate limit and sockets.",
    details: [
      "A field can refer to an environment variable as ${NAME}. If all settings are read from environment variables, the form stays empty and the flow can be shared unchanged. The variables are listed above.",
      "Node-RED stores secrets encrypted. Flows and exports never contain them.",
      "Log in opens the login page of the service. It needs the application's ID and secret. After the login, the browser returns to this editor at fxdesk/connection/return below its address, or to the redirect address if one is set. Register that address for the application. The tokens are saved in the store. Update the connection and deploy afterwards.",
      "Test makes one read with the values in the form. It shows whether the service can be reached, for which client it is authorised, and in which environment.",
    ],
  },
};

/** The help texts of one language. */
export type HelpWords = typeof englishHelp;
