/** The help of each node, from its declaration. */
import { comesInPages } from "../../core/client/pages";
import { environmentName, settingsOf } from "../../core/client/settings";
import {
  type ResponseDeclaration,
  mayRespondWith,
  type Declaration,
  type Effect,
  effectDescriptions,
  errorDescription,
} from "../../core/declaration/operation";
import type { Service } from "../../core/declaration/service";
import { callerFields, type Field } from "../../core/declaration/fields";
import { elementOf, optionsOf } from "../../core/schema/kind";
import { callType, connectionType, inNodeWords, nodeTypeOf } from "../names";
import { type PayloadField, payloadOf } from "./payload";

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

function fieldTerm(field: Field): string {
  const { name, kind, description, required, schema } = field;
  const element = elementOf(schema);
  const options = field.options ?? (element && optionsOf(element));
  const meaning = sentences(
    description,
    options ? `${element ? "Any of" : "One of"}: ${options.join(", ")}` : "",
    field.default === undefined ? "" : `Default: ${String(field.default)}`,
  );
  return term(name, kind === "unknown" ? "any" : kind, meaning, !required);
}

/** The fields of a body, small below what it is. */
const fieldList = (fields: readonly PayloadField[]): string =>
  fields.length === 0
    ? ""
    : `<ul>${fields
        .map(({ path, type, description }) => {
          const meaning = description && `: ${escaped(description)}`;
          return `<li><code>${escaped(path)}</code> <i>${escaped(type)}</i>${meaning}</li>`;
        })
        .join("")}</ul>`;

function responseTerm(operation: Declaration, [status, response]: [string, ResponseDeclaration]): string {
  const { type, fields, entries } = payloadOf(operation, response);
  const { description } = response;
  return [
    term("payload", type, `${description} (${status})`),
    fields.length > 0 || entries ? "<dd>" : "",
    fieldList(fields),
    entries ? `<p>Each entry of ${escaped(entries.paths.join(", "))}:</p>${fieldList(entries.fields)}` : "",
    fields.length > 0 || entries ? "</dd>" : "",
  ].join("");
}

const fileTerms = [
  term("filename", "string", "The name the service suggests, or the path the file was saved to."),
  term("contentType", "string", "The media type of the file."),
];

const statusTerm = term("statusCode", "number", "The HTTP status of the response.");

const metadataTerm = term(
  "fxdesk",
  "object",
  "What else is known of the response: operation, headers, requestId, attempts, violations, total; of a list in pages, how many pages there were, or, of one page, whether there are more.",
);

const outputs = (operation: Declaration): string =>
  terms([
    ...Object.entries(operation.responses).map((response) => responseTerm(operation, response)),
    statusTerm,
    ...(mayRespondWith(operation, "file") ? fileTerms : []),
    metadataTerm,
  ]);

const effects: Readonly<Record<Effect, string>> = {
  read: `${effectDescriptions.read} It is tried again when the service is busy or out of reach for a moment.`,
  change: `${effectDescriptions.change} It is sent once.`,
  money: `${effectDescriptions.money} It is sent once and never repeated: when a response is lost, the error code is outcome_unknown, and the message says what to check.`,
};

const paging =
  "The list comes in pages. The node sends one page, all pages as one message, or a message for each page, in a sequence (msg.parts) that a Join node puts together again.";

const details = (operation: Declaration): string => {
  const { notes, effect, rules = [] } = operation;
  return [
    paragraph(sentences(notes ?? "", effects[effect])),
    ...(comesInPages(operation) ? [paragraph(paging)] : []),
    ...(rules.length > 0 ? [bullets(rules.map(({ description }) => description))] : []),
    paragraph(
      "A field takes a fixed value, a property of the message, the flow or the global context, a JSONata expression, an environment variable, or a mustache template such as {{payload.id}}. A field left empty is left out.",
    ),
  ].join("\n");
};

const errorTerm = ([status, failure]: [string, Declaration["errors"][number]]): string =>
  term(status, "status", errorDescription(failure));

const caught = paragraph(
  "An error goes to Catch nodes: msg.error.message says what to do, msg.error.code is stable, and msg.error.cause holds outcome, status, retryable, requestId, violations and the service's own code, message and details.",
);

const errors = (operation: Declaration): string =>
  [caught, terms(Object.entries(operation.errors).map(errorTerm))].join("\n");

const filling =
  "Filled in the form. Nothing is taken from the message by itself: choose msg at a field, or let those left empty take the properties of msg.payload with their names.";

function operationHelp(operation: Declaration): string {
  const inputs = callerFields(operation);
  return [
    paragraph(operation.summary),
    ...(inputs.length > 0 ? [section("Fields", paragraph(filling), terms(inputs.map(fieldTerm)))] : []),
    section("Outputs", outputs(operation)),
    section("Details", details(operation)),
    section("Errors", errors(operation)),
    section("References", bullets([`${operation.method} ${operation.path}`])),
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
      paragraph(paging),
      paragraph(
        "An operation that commits or moves money is sent once and never repeated: when a response is lost, the error code is outcome_unknown, and the message says what to check. One of an extension that is no GET counts as such, unless FXDESK_EXTENSION_EFFECTS names it.",
      ),
    ),
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
    ),
  ].join("\n");

const helpElement = (type: string, content: string): string =>
  `<script type="text/html" data-help-name="${type}">\n${content}\n</script>`;

/** The help of the connection and of the nodes of a service. */
export const helpFile = (service: Service): string =>
  [
    helpElement(connectionType, connectionHelp(service)),
    helpElement(callType, callHelp()),
    ...service.operations.map((operation) =>
      helpElement(nodeTypeOf(operation), inNodeWords(operationHelp(operation), service.operations)),
    ),
  ].join("\n");
