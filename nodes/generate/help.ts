/** The help of each node, from its declaration. */
import { environmentName, settingsOf } from "../../core/client/settings";
import type { BodyField } from "../../core/declaration/described-body";
import {
  type DescribedField,
  type DescribedKey,
  type DescribedResponse,
  inputFields,
  type DescribedPage,
  pageOf,
} from "../../core/declaration/described-page";
import { declarationsOf, type Service } from "../../core/declaration/service";
import { isWatch } from "../../core/declaration/watch";
import { callType, connectionType, inNodeWords, nodeTypeOf, watchType } from "../names";

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

/** A term with its type, and what it means. */
const term = (name: string, type: string, description: string, optional = false): string =>
  `<dt${optional ? ' class="optional"' : ""}>${escaped(name)} <span class="property-type">${escaped(type)}</span></dt><dd>${escaped(description)}</dd>`;

const terms = (list: readonly string[]): string => `<dl class="message-properties">${list.join("\n")}</dl>`;

const section = (title: string, ...content: readonly string[]): string =>
  `<h3>${title}</h3>\n${content.join("\n")}`;

const bullets = (list: readonly string[]): string =>
  `<ul>${list.map((item) => `<li>${escaped(item)}</li>`).join("")}</ul>`;

/** Sentences joined, each with its full stop; without those that are empty. */
const sentences = (...parts: readonly string[]): string =>
  parts
    .filter(Boolean)
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(" ");

function fieldTerm({ name, kind, type, description, options, need, ...field }: DescribedField): string {
  const meaning = sentences(
    description,
    options ? `${kind === "array" ? "Any of" : "One of"}: ${options.join(", ")}` : "",
    field.default === undefined ? "" : `Default: ${String(field.default)}`,
  );
  return term(name, type, meaning, need !== "required");
}

/** The fields of a body, small below what it is. */
const fieldList = (fields: readonly BodyField[]): string =>
  fields.length === 0
    ? ""
    : `<ul>${fields
        .map(({ path, type, description }) => {
          const meaning = description && `: ${escaped(description)}`;
          return `<li><code>${escaped(path)}</code> <i>${escaped(type)}</i>${meaning}</li>`;
        })
        .join("")}</ul>`;

const plainPayloads = { text: "string", html: "string", file: "Buffer", empty: "as it was" } as const;

/** What msg.payload is after a response. */
const payloadType = ({ kind, body, asText }: DescribedResponse): string =>
  kind === "json" ? body!.type + (asText ? " or string" : "") : plainPayloads[kind];

/** What the payload is, with its fields below. */
function payloadTerm(response: DescribedResponse, meaning: string): string {
  const { fields = [], entries } = response.body ?? {};
  return [
    term("payload", payloadType(response), meaning),
    fields.length > 0 || entries ? "<dd>" : "",
    fieldList(fields),
    entries ? `<p>Each entry of ${escaped(entries.paths.join(", "))}:</p>${fieldList(entries.fields)}` : "",
    fields.length > 0 || entries ? "</dd>" : "",
  ].join("");
}

const responseTerm = (response: DescribedResponse): string =>
  payloadTerm(response, `${response.description} (${response.status})`);

const entryTerm = (response: DescribedResponse): string =>
  payloadTerm(response, `${response.description} As it is now; null where it is gone.`);

const fileTerms = [
  term("filename", "string", "The name the service suggests, or the path the file was saved to."),
  term("contentType", "string", "The media type of the file."),
];

const statusTerm = term("statusCode", "number", "The HTTP status of the response.");

const metadataTerm = term(
  "fxdesk",
  "object",
  "What else is known of the response, in every mode: operation, status, headers, requestId, attempts, violations, total; where it commits money, its journal entry and whether it was given back from there; of a list in pages, how many have been read and whether there are more.",
);

const outputs = ({ responses }: DescribedPage): string =>
  terms([
    ...responses.map(responseTerm),
    statusTerm,
    ...(responses.some(({ kind }) => kind === "file") ? fileTerms : []),
    metadataTerm,
  ]);

/** How a flow notices a call whose outcome is not known. */
const unknownOutcome = "The error code of a lost response is outcome_unknown.";

const sendingPages =
  "The node sends one page, all pages as one message, or a message for each page or each entry, in a sequence (msg.parts) that a Join node puts together again; the next page is read when the next nodes are done with the messages of the one before.";

/** What a message may ask of its node. */
const asking =
  "msg.timeoutMs is the time limit of this call. A message with msg.cancel makes no call: it stops the reads of the node for the messages whose msg.fxdesk.key, or else _msgid, it is, or all with true.";

/** What a person must know of the key of a call that commits money. */
function keyHelp({ needed, usual }: DescribedKey): string {
  const without = needed
    ? "Without one nothing is sent."
    : usual === undefined
      ? "It may be left out."
      : `Without one it is ${usual}.`;
  return sentences(
    "The request key stands for this call alone, such as the number of an invoice: msg.fxdesk.key, unless the form says otherwise",
    without,
    "The same call with the same key is not sent again: what became of it is sent on, with msg.fxdesk.journal.replayed true; another call with that key is refused",
    "The identifier of a message is none, because its copies share it",
  );
}

const sendingRows = (rows: string): string =>
  `The node sends the whole result, or a message for each entry of ${rows}, in a sequence (msg.parts), with the rest of the result in msg.fxdesk.result; where there is none, no message.`;

const details = ({ notes = "", effect, paging, rules, rows }: DescribedPage): string =>
  [
    paragraph(
      sentences(notes, effect.description, effect.repetition, effect.kind === "money" ? unknownOutcome : ""),
    ),
    ...(effect.key ? [paragraph(keyHelp(effect.key))] : []),
    ...(paging === undefined ? [] : [paragraph(sentences(paging, sendingPages))]),
    ...(rows === undefined ? [] : [paragraph(sendingRows(rows))]),
    ...(rules.length > 0 ? [bullets(rules.map(({ description }) => description))] : []),
    paragraph(asking),
    paragraph(
      "A field takes a fixed value, a property of the message, the flow or the global context, a JSONata expression, an environment variable, or a mustache template such as {{payload.id}}. A field left empty is left out.",
    ),
  ].join("\n");

const caught = paragraph(
  "An error goes to Catch nodes: msg.error.message says what to do, msg.error.code is stable, and msg.error.cause holds outcome, status, retryable, requestId, violations and the service's own code, message and details.",
);

const errors = (page: DescribedPage): string =>
  [
    caught,
    terms(page.errors.map(({ status, description }) => term(String(status), "status", description))),
  ].join("\n");

const filling =
  "Filled in the form. Nothing is taken from the message by itself: choose msg at a field, or let those left empty take the properties of msg.payload with their names.";

function operationHelp(page: DescribedPage): string {
  const { summary, request } = page;
  const inputs = inputFields(page);
  return [
    paragraph(summary),
    ...(inputs.length > 0 ? [section("Fields", paragraph(filling), terms(inputs.map(fieldTerm)))] : []),
    section("Outputs", outputs(page)),
    section("Details", details(page)),
    section("Errors", errors(page)),
    ...(request ? [section("References", bullets([`${request.method} ${request.path}`]))] : []),
  ].join("\n");
}

const callHelp = (): string =>
  [
    paragraph("Calls any operation of the connection, those of extensions included."),
    section(
      "Fields",
      terms([
        term(
          "operation",
          "string",
          "Name of the operation, such as trades.list; chosen or written in the form.",
        ),
        term(
          "input",
          "object | string",
          "The fields of the operation by name, or JSON text of them; msg.payload unless you say otherwise.",
          true,
        ),
      ]),
    ),
    section(
      "Outputs",
      terms([term("payload", "any", "The body of the response."), statusTerm, ...fileTerms, metadataTerm]),
    ),
    section(
      "Details",
      paragraph(
        "The operations of the contract have nodes of their own. This node also calls those that a module adds, which the environment variable FXDESK_EXTENSIONS names where Node-RED runs; the list shows them all. What an operation does, and the fields it takes, stand below the choice.",
      ),
      paragraph(
        "The input is msg.payload, or a value the form says: another property of the message, the flow or the global context, JSON, a JSONata expression, an environment variable, or a mustache template.",
      ),
      paragraph(
        `Of a list that comes in pages, ${sendingPages.charAt(0).toLowerCase()}${sendingPages.slice(1)}`,
      ),
      paragraph(
        "Of a result whose answer is one of its lists, the node sends the whole, or a message for each entry, with the rest in msg.fxdesk.result.",
      ),
      paragraph(
        "An operation that commits or moves money is sent once and never repeated: when a response is lost, the error code is outcome_unknown, and the message says what to check. One of an extension that is no GET counts as such, unless FXDESK_EXTENSION_EFFECTS names it.",
      ),
      paragraph(
        "The request key, msg.fxdesk.key unless the form says otherwise, stands for one such call alone: the same call with the same key is not sent again, and what became of it is sent on. Payments need one.",
      ),
    ),
    section("Errors", caught),
  ].join("\n");

const watchOutputs = (entry: string): string =>
  [
    '<ol class="node-ports"><li>Changes',
    terms([
      entry,
      term("topic", "string", "The name of the watch."),
      term(
        "fxdesk",
        "object",
        "The change: its kind (new, changed or gone), the id of the entry, what counted of it before, when it was found (at), and whether it was told before (repeated).",
      ),
    ]),
    "</li><li>Status",
    terms([
      term(
        "payload",
        "object",
        "What it is at: state (reading, waiting, held, failed, incomplete), until, error with code and message, gaps.",
      ),
    ]),
    "</li></ol>",
  ].join("\n");

const watching = [
  "It begins with the deploy, sends one message for each change, and ends with the next deploy. Each change comes once, over restarts too: where it was is in the store, under the id of the node. What was in hand when Node-RED was killed comes again, with repeated true.",
  "It begins the first time as the form says; with other fields it begins anew. A read that fails is tried again, after a pause that grows to five minutes.",
  "A field takes a fixed value, an environment variable, or a value of the flow or the global context, read at the start.",
];

function watchHelp(page: DescribedPage): string {
  const { summary, notes = "", rules, responses } = page;
  const inputs = inputFields(page);
  return [
    paragraph(summary),
    ...(inputs.length > 0 ? [section("Fields", terms(inputs.map(fieldTerm)))] : []),
    section("Outputs", watchOutputs(responses.map((response) => entryTerm(response)).join(""))),
    section(
      "Details",
      ...(notes ? [paragraph(notes)] : []),
      ...(rules.length > 0 ? [bullets(rules.map(({ description }) => description))] : []),
      ...watching.map(paragraph),
    ),
    section("Errors", caught),
  ].join("\n");
}

const anyWatchHelp = (): string =>
  [
    paragraph("Tells the changes of any watch of the connection, those of extensions included."),
    section(
      "Fields",
      terms([
        term("watch", "string", "Name of the watch, such as trades.watch; chosen or written in the form."),
        term("input", "object", "The fields of the watch by name.", true),
      ]),
    ),
    section(
      "Outputs",
      watchOutputs(term("payload", "object", "The entry as it is now; null where it is gone.")),
    ),
    section("Details", ...watching.map(paragraph)),
    section("Errors", caught),
  ].join("\n");

const connectionHelp = (service: Service): string =>
  [
    paragraph(
      "A connection to the service. The nodes that use it share its access token, its pace and its sockets.",
    ),
    section(
      "Settings",
      terms(
        settingsOf(service).map(({ name, title, description, secret }) =>
          term(title, secret ? "secret" : "string", sentences(description, environmentName(name)), true),
        ),
      ),
    ),
    section(
      "Details",
      paragraph(
        "Each field may hold an environment variable, written ${NAME}. With all settings read from the environment, the variables are those named above, and the form stays empty: a flow can then be shared as it is.",
      ),
      paragraph("Secrets are kept encrypted by Node-RED. They are in no flow and no export."),
      paragraph(
        "Log in opens the login page of the service, with the application's ID and secret. Whoever logs in returns to this editor, at fxdesk/connection/return below its address, which has to be registered for the application; or at the redirect address, where one is set. The tokens are kept in the store. Update the connection and deploy afterwards.",
      ),
      paragraph(
        "Test makes one call that reads, and says whether the service is reached and authorises it, for which client and in which environment. It tries what the form holds.",
      ),
    ),
  ].join("\n");

const helpElement = (type: string, content: string): string =>
  `<script type="text/html" data-help-name="${type}">\n${content}\n</script>`;

/** The help of the connection and of the nodes of a service. */
export const helpFile = (service: Service): string =>
  [
    helpElement(connectionType, connectionHelp(service)),
    helpElement(callType, callHelp()),
    helpElement(watchType, anyWatchHelp()),
    ...declarationsOf(service).map((callable, _, all) => {
      const help = (isWatch(callable) ? watchHelp : operationHelp)(pageOf(callable));
      return helpElement(nodeTypeOf(callable), inNodeWords(help, all));
    }),
  ].join("\n");
