/** Generates the help of each node from its declaration. */
import { environmentName, settingsOf } from "../../core/call/settings";
import type { BodyField } from "../../core/spec/describe-body";
import {
  type FieldDoc,
  type KeyDoc,
  type ResponseDoc,
  callerFieldDocs,
  type OperationDoc,
  describeOperation,
} from "../../core/spec/describe-operation";
import { declarationsOf, type Service } from "../../core/spec/service";
import { isWatch } from "../../core/spec/watch";
import { callType, connectionType, nodeTypeOf, watchType } from "../shared/node-names";
import { translateWithNodeTitles } from "./declared-texts";
import type { Words } from "./words/en";
import type { HelpWords } from "./words/help-en";

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const paragraph = (text: string): string => `<p>${escapeHtml(text)}</p>`;

/** Returns a definition-list entry with name, type and description. */
const term = (name: string, type: string, description: string, optional = false): string =>
  `<dt${optional ? ' class="optional"' : ""}>${escapeHtml(name)} <span class="property-type">${escapeHtml(type)}</span></dt><dd>${escapeHtml(description)}</dd>`;

const terms = (list: readonly string[]): string => `<dl class="message-properties">${list.join("\n")}</dl>`;

const section = (title: string, ...content: readonly string[]): string =>
  `<h3>${title}</h3>\n${content.join("\n")}`;

const bullets = (list: readonly string[]): string =>
  `<ul>${list.map((item) => `<li>${escapeHtml(item)}</li>`).join("")}</ul>`;

/** Fills the placeholders of a text. */
const fillGaps = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/__(\w+?)__/g, (gap, name: string) => values[name] ?? gap);

/** Joins non-empty sentences and adds missing full stops. */
const joinSentences = (...parts: readonly string[]): string =>
  parts
    .filter(Boolean)
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(" ");

function fieldTerm(
  { oneOf, anyOf, usually }: HelpWords,
  { name, kind, type, description, options, requirement, ...field }: FieldDoc,
): string {
  const meaning = joinSentences(
    description,
    options ? fillGaps(kind === "array" ? anyOf : oneOf, { options: options.join(", ") }) : "",
    field.default === undefined ? "" : fillGaps(usually, { value: String(field.default) }),
  );
  return term(name, type, meaning, requirement !== "required");
}

const fieldTerms = (help: HelpWords, fields: readonly FieldDoc[]): string =>
  terms(fields.map((field) => fieldTerm(help, field)));

/** Returns the fields of a body as a list. */
const fieldList = (fields: readonly BodyField[]): string =>
  fields.length === 0
    ? ""
    : `<ul>${fields
        .map(({ path, type, description }) => {
          const meaning = description && `: ${escapeHtml(description)}`;
          return `<li><code>${escapeHtml(path)}</code> <i>${escapeHtml(type)}</i>${meaning}</li>`;
        })
        .join("")}</ul>`;

const plainPayloads = { text: "string", html: "string", file: "Buffer" } as const;

/** Returns the type of msg.payload after a response. */
function payloadType({ untouched, orText }: HelpWords, { kind, body, asText }: ResponseDoc): string {
  if (kind === "json") return body!.type + (asText ? orText : "");
  return kind === "empty" ? untouched : plainPayloads[kind];
}

/** Returns the entry of the payload, with its fields. */
function payloadTerm(help: HelpWords, response: ResponseDoc, meaning: string): string {
  const { fields = [], entries } = response.body ?? {};
  const eachEntry = entries && escapeHtml(fillGaps(help.eachEntry, { paths: entries.paths.join(", ") }));
  return [
    term("payload", payloadType(help, response), meaning),
    fields.length > 0 || entries ? "<dd>" : "",
    fieldList(fields),
    entries ? `<p>${eachEntry}</p>${fieldList(entries.fields)}` : "",
    fields.length > 0 || entries ? "</dd>" : "",
  ].join("");
}

const responseTerm = (help: HelpWords, response: ResponseDoc): string =>
  payloadTerm(help, response, `${response.description} (${response.status})`);

const entryTerm = (help: HelpWords, response: ResponseDoc): string =>
  payloadTerm(help, response, `${response.description} ${help.asItIsNow}`);

const fileTerms = ({ filename, contentType }: HelpWords): string[] => [
  term("filename", "string", filename),
  term("contentType", "string", contentType),
];

const statusTerm = ({ statusCode }: HelpWords): string => term("statusCode", "number", statusCode);

const metadataTerm = ({ metadata }: HelpWords): string => term("fxdesk", "object", metadata);

const outputs = (help: HelpWords, { responses }: OperationDoc): string =>
  terms([
    ...responses.map((response) => responseTerm(help, response)),
    statusTerm(help),
    ...(responses.some(({ kind }) => kind === "file") ? fileTerms(help) : []),
    metadataTerm(help),
  ]);

/** Returns the paragraph about the request key. */
function keyHelp({ key }: HelpWords, { isRequired, defaultField }: KeyDoc): string {
  const missingKeyText = isRequired
    ? key.needed
    : defaultField === undefined
      ? key.optional
      : fillGaps(key.usual, { usual: defaultField });
  return joinSentences(key.means, missingKeyText, key.again, key.noIdentifier);
}

function details(
  { help, form }: Words,
  { notes = "", effect, paging, rules, resultList }: OperationDoc,
): string {
  const { kind, key } = effect;
  const repetition = help.repetition[kind] || effect.repetition;
  const unknown = kind === "money" ? help.unknownOutcome : "";
  return [
    paragraph(joinSentences(notes, form.effect[kind], repetition, unknown)),
    ...(key ? [paragraph(keyHelp(help, key))] : []),
    ...(paging === undefined ? [] : [paragraph(joinSentences(help.paging || paging, help.sendingPages))]),
    ...(resultList === undefined ? [] : [paragraph(fillGaps(help.sendingRows, { rows: resultList }))]),
    ...(rules.length > 0 ? [bullets(rules.map(({ description }) => description))] : []),
    paragraph(help.asking),
    paragraph(help.values),
  ].join("\n");
}

const errors = ({ caught }: HelpWords, page: OperationDoc): string =>
  [
    paragraph(caught),
    terms(page.errors.map(({ status, description }) => term(String(status), "status", description))),
  ].join("\n");

const summaryOf = ({ summaries }: HelpWords, { name, summary }: OperationDoc): string =>
  summaries[name] ?? summary;

/** Help of a node: the summary, which the palette also shows, and the sections below it. */
interface NodeHelp {
  readonly summary: string;
  readonly sections: readonly string[];
}

function operationHelp(words: Words, page: OperationDoc): NodeHelp {
  const { help } = words;
  const { headings, filling } = help;
  const { request } = page;
  const inputs = callerFieldDocs(page);
  const sections = [
    ...(inputs.length > 0 ? [section(headings.fields, paragraph(filling), fieldTerms(help, inputs))] : []),
    section(headings.outputs, outputs(help, page)),
    section(headings.details, details(words, page)),
    section(headings.errors, errors(help, page)),
    ...(request ? [section(headings.references, bullets([`${request.method} ${request.path}`]))] : []),
  ];
  return { summary: summaryOf(help, page), sections };
}

function callHelp(help: HelpWords): NodeHelp {
  const { headings, call } = help;
  const fields = [
    term("operation", "string", call.operation),
    term("input", "object | string", call.input, true),
  ];
  const sent = [term("payload", "any", help.body), statusTerm(help), ...fileTerms(help), metadataTerm(help)];
  const paging = paragraph(joinSentences(call.pages, help.sendingPages));
  const sections = [
    section(headings.fields, terms(fields)),
    section(headings.outputs, terms(sent)),
    section(headings.details, ...call.details.map(paragraph), paging),
    section(headings.errors, paragraph(help.caught)),
  ];
  return { summary: call.summary, sections };
}

const watchOutputs = ({ headings, watch }: HelpWords, entry: string): string =>
  [
    `<ol class="node-ports"><li>${headings.changes}`,
    terms([entry, term("topic", "string", watch.topic), term("fxdesk", "object", watch.change)]),
    `</li><li>${headings.status}`,
    terms([term("payload", "object", watch.state)]),
    "</li></ol>",
  ].join("\n");

function watchHelp({ help }: Words, page: OperationDoc): NodeHelp {
  const { headings, watch, caught } = help;
  const { notes = "", rules, responses } = page;
  const inputs = callerFieldDocs(page);
  const entryTerms = responses.map((response) => entryTerm(help, response)).join("");
  const sections = [
    ...(inputs.length > 0 ? [section(headings.fields, fieldTerms(help, inputs))] : []),
    section(headings.outputs, watchOutputs(help, entryTerms)),
    section(
      headings.details,
      ...(notes ? [paragraph(notes)] : []),
      ...(rules.length > 0 ? [bullets(rules.map(({ description }) => description))] : []),
      ...watch.details.map(paragraph),
    ),
    section(headings.errors, paragraph(caught)),
  ];
  return { summary: summaryOf(help, page), sections };
}

function anyWatchHelp(help: HelpWords): NodeHelp {
  const { headings, watch, entry, caught } = help;
  const fields = [term("watch", "string", watch.watch), term("input", "object", watch.input, true)];
  const sections = [
    section(headings.fields, terms(fields)),
    section(headings.outputs, watchOutputs(help, term("payload", "object", entry))),
    section(headings.details, ...watch.details.map(paragraph)),
    section(headings.errors, paragraph(caught)),
  ];
  return { summary: watch.summary, sections };
}

function connectionHelp({ headings, connection }: HelpWords, service: Service): NodeHelp {
  const settings = settingsOf(service).map(({ name, title, description, secret }) =>
    term(title, secret ? "secret" : "string", joinSentences(description, environmentName(name)), true),
  );
  const sections = [
    section(headings.settings, terms(settings)),
    section(headings.details, ...connection.details.map(paragraph)),
  ];
  return { summary: connection.summary, sections };
}

type TypeHelp = readonly [type: string, help: NodeHelp];

/** Returns the help of each type in a language. Texts of declarations are in English. */
function helpByType(service: Service, words: Words): readonly TypeHelp[] {
  const all = declarationsOf(service);
  const translateHelp = ({ summary, sections }: NodeHelp): NodeHelp => ({
    summary: translateWithNodeTitles(words, summary, all),
    sections: sections.map((each) => translateWithNodeTitles(words, each, all)),
  });
  const declared = all.map((callable): TypeHelp => {
    const help = (isWatch(callable) ? watchHelp : operationHelp)(words, describeOperation(callable));
    return [nodeTypeOf(callable), translateHelp(help)];
  });
  return [
    [connectionType, connectionHelp(words.help, service)],
    [callType, callHelp(words.help)],
    [watchType, anyWatchHelp(words.help)],
    ...declared,
  ];
}

/** Returns the help that the editor loads at startup: summaries, and elements that load the sections on demand. */
export const helpFile = (service: Service, words: Words, language: string): string =>
  helpByType(service, words)
    .map(([type, { summary }]) => {
      const sections = `<fxdesk-help type="${type}" language="${language}"></fxdesk-help>`;
      return `<script type="text/html" data-help-name="${type}">${paragraph(summary)}${sections}</script>`;
    })
    .join("\n");

/** Returns the help sections by type, which the editor loads on demand. */
export const helpSections = (service: Service, words: Words): Readonly<Record<string, string>> =>
  Object.fromEntries(helpByType(service, words).map(([type, { sections }]) => [type, sections.join("\n")]));
