/** The help of the nodes in English, round what declarations say. */

/** Where a text is empty, what the declaration says stands there. */
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
  /** Summaries of operations, procedures and watches by name. */
  summaries: {} as Readonly<Record<string, string>>,
  oneOf: "One of: __options__",
  anyOf: "Any of: __options__",
  usually: "Default: __value__",
  eachEntry: "Each entry of __paths__:",
  /** What msg.payload is where there is no response to it. */
  untouched: "as it was",
  orText: " or string",
  asItIsNow: "As it is now; null where it is gone.",
  entry: "The entry as it is now; null where it is gone.",
  body: "The body of the response.",
  filename: "The name the service suggests, or the path the file was saved to.",
  contentType: "The media type of the file.",
  statusCode: "The HTTP status of the response.",
  metadata:
    "What else is known of the response, in every mode: operation, status, headers, requestId, attempts, violations, total; where it commits money, its journal entry and whether it was given back from there; of a list in pages, how many have been read and whether there are more.",
  repetition: { read: asDeclared, change: asDeclared, money: asDeclared },
  paging: asDeclared,
  unknownOutcome: "The error code of a lost response is outcome_unknown.",
  sendingPages:
    "The node sends one page, all pages as one message, or a message for each page or each entry, in a sequence (msg.parts) that a Join node puts together again; the next page is read when the next nodes are done with the messages of the one before.",
  sendingRows:
    "The node sends the whole result, or a message for each entry of __rows__, in a sequence (msg.parts), with the rest of the result in msg.fxdesk.result; where there is none, no message.",
  asking:
    "msg.timeoutMs is the time limit of this call. A message with msg.cancel makes no call: it stops the reads of the node for the messages whose msg.fxdesk.key, or else _msgid, it is, or all with true.",
  key: {
    means:
      "The request key stands for this call alone, such as the number of an invoice: msg.fxdesk.key, unless the form says otherwise",
    needed: "Without one nothing is sent.",
    optional: "It may be left out.",
    usual: "Without one it is __usual__.",
    again:
      "The same call with the same key is not sent again: what became of it is sent on, with msg.fxdesk.journal.replayed true; another call with that key is refused",
    noIdentifier: "The identifier of a message is none, because its copies share it",
  },
  filling:
    "Filled in the form. Nothing is taken from the message by itself: choose msg at a field, or let those left empty take the properties of msg.payload with their names.",
  values:
    "A field takes a fixed value, a property of the message, the flow or the global context, a JSONata expression, an environment variable, or a mustache template such as {{payload.id}}. A field left empty is left out.",
  caught:
    "An error goes to Catch nodes: msg.error.message says what to do, msg.error.code is stable, and msg.error.cause holds outcome, status, retryable, requestId, violations and the service's own code, message and details.",
  call: {
    pages: "A list may come in pages.",
    summary: "Calls any operation of the connection, those of extensions included.",
    operation: "Name of the operation, such as trades.list; chosen or written in the form.",
    input: "The fields of the operation by name, or JSON text of them; msg.payload unless you say otherwise.",
    details: [
      "The operations of the contract have nodes of their own. This node also calls those that a module adds, which the environment variable FXDESK_EXTENSIONS names where Node-RED runs; the list shows them all. What an operation does, and the fields it takes, stand below the choice.",
      "The input is msg.payload, or a value the form says: another property of the message, the flow or the global context, JSON, a JSONata expression, an environment variable, or a mustache template.",
      "Of a result whose answer is one of its lists, the node sends the whole, or a message for each entry, with the rest in msg.fxdesk.result.",
      "An operation that commits or moves money is sent once and never repeated: when a response is lost, the error code is outcome_unknown, and the message says what to check. One of an extension that is no GET counts as such, unless FXDESK_EXTENSION_EFFECTS names it.",
      "The request key, msg.fxdesk.key unless the form says otherwise, stands for one such call alone: the same call with the same key is not sent again, and what became of it is sent on. Payments need one.",
    ],
  },
  watch: {
    summary: "Tells the changes of any watch of the connection, those of extensions included.",
    watch: "Name of the watch, such as trades.watch; chosen or written in the form.",
    input: "The fields of the watch by name.",
    topic: "The name of the watch.",
    change:
      "The change: its kind (new, changed or gone), the id of the entry, what counted of it before, when it was found (at), and whether it was told before (repeated).",
    state:
      "What it is at: state (reading, waiting, held, failed, incomplete, ended), until, error with code and message, gaps.",
    details: [
      "It begins with the deploy, sends one message for each change, and ends with the next deploy. Each change comes once, over restarts too: where it was is in the store, under the id of the node. What was in hand when Node-RED was killed comes again, with repeated true.",
      "It begins the first time as the form says; with other fields it begins anew. A read that fails is tried again, after a pause that grows to five minutes.",
      "A field takes a fixed value, an environment variable, or a value of the flow or the global context, read at the start.",
    ],
  },
  connection: {
    summary:
      "A connection to the service. The nodes that use it share its access token, its pace and its sockets.",
    details: [
      "Each field may hold an environment variable, written ${NAME}. With all settings read from the environment, the variables are those named above, and the form stays empty: a flow can then be shared as it is.",
      "Secrets are kept encrypted by Node-RED. They are in no flow and no export.",
      "Log in opens the login page of the service, with the application's ID and secret. Whoever logs in returns to this editor, at fxdesk/connection/return below its address, which has to be registered for the application; or at the redirect address, where one is set. The tokens are kept in the store. Update the connection and deploy afterwards.",
      "Test makes one call that reads, and says whether the service is reached and authorises it, for which client and in which environment. It tries what the form holds.",
    ],
  },
};

/** The same help in another language. */
export type HelpWords = typeof englishHelp;
