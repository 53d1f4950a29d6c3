/** Generates the help of each node from its declaration. */
import mustache from "mustache";
import { environmentName, settingsOf } from "../../core/call/settings";
import type { BodyField } from "../../core/spec/describe-body";
import {
  callerFieldDocs,
  describeOperation,
  type FieldDoc,
  type KeyDoc,
  type OperationDoc,
  type ResponseDoc,
} from "../../core/spec/describe-operation";
import type { Callable, Effect } from "../../core/spec/operation";
import { hasEntries, listNamesOf } from "../../core/spec/result-list";
import { declarationsOf, type Service } from "../../core/spec/service";
import { isWatch } from "../../core/spec/watch";
import {
  callType,
  connectionType,
  nodeTypeOf,
  slugOf,
  watchType,
  withNodeTitles,
} from "../shared/node-names";
import type { PartTexts } from "./controls";
import { colors } from "./editor-code";
import type { HelpWords, Texts } from "./locales";
import { resultExampleOf } from "./result-examples";

/** Entry of a list of message properties or settings. */
interface Term {
  /** Title of a field, beside which the name is shown. */
  readonly title?: string;
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly optional?: boolean;
  /** Fields of an object, or of the entries of its lists. */
  readonly body?: {
    readonly fields: readonly BodyField[];
    readonly entries?: { readonly title: string; readonly fields: readonly BodyField[] };
  };
}

/** Section of the help. The template omits what is empty. */
interface Section {
  readonly heading: string;
  readonly paragraphs?: readonly string[];
  /** Text whose lines are kept. */
  readonly example?: string;
  readonly terms?: readonly Term[];
  /** Numbered outputs. */
  readonly ports?: readonly { readonly heading: string; readonly terms: readonly Term[] }[];
  readonly bullets?: readonly string[];
  /** Paragraphs after the bullets. */
  readonly closing?: readonly string[];
}

/** Help of a node: the summary, which the palette also shows, and the sections below it. */
interface NodeHelp {
  readonly summary: string;
  readonly sections: readonly Section[];
}

const template = `{{#sections}}<h3>{{heading}}</h3>
{{#paragraphs}}<p>{{.}}</p>
{{/paragraphs}}{{#example}}<pre style="white-space: pre-wrap; word-break: normal; overflow-wrap: anywhere">{{.}}</pre>
{{/example}}{{>terms}}{{#ports.length}}<ol class="node-ports">{{#ports}}<li>{{heading}}
{{>terms}}</li>{{/ports}}</ol>
{{/ports.length}}{{#bullets.length}}<ul>{{#bullets}}<li>{{.}}</li>{{/bullets}}</ul>
{{/bullets.length}}{{#closing}}<p>{{.}}</p>
{{/closing}}{{/sections}}`;

const partials = {
  terms: `{{#terms.length}}<dl class="message-properties">{{#terms}}<dt{{#optional}} class="optional"{{/optional}}>{{#title}}{{title}} <small><code>{{name}}</code></small>{{/title}}{{^title}}{{name}}{{/title}} <span class="property-type">{{type}}</span></dt><dd>{{description}}</dd>{{#body}}<dd>{{>fields}}{{#entries}}<p>{{title}}</p>{{>fields}}{{/entries}}</dd>{{/body}}
{{/terms}}</dl>
{{/terms.length}}`,
  fields: `{{#fields.length}}<ul>{{#fields}}<li><code>{{path}}</code> <i>{{type}}</i>{{#description}}: {{description}}{{/description}}</li>{{/fields}}</ul>{{/fields.length}}`,
};

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

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
  { help: { oneOf, anyOf, usually }, forms }: Texts,
  slug: string,
  { name, kind, type, options, requirement, ...field }: FieldDoc,
): Term {
  const own: Readonly<Record<string, PartTexts>> = forms.operations[slug] ?? {};
  const { label, description = "" } = own[name] ?? forms.fields[name]!;
  const meaning = joinSentences(
    description,
    options ? fillGaps(kind === "array" ? anyOf : oneOf, { options: options.join(", ") }) : "",
    field.default === undefined ? "" : fillGaps(usually, { value: String(field.default) }),
  );
  return { title: label, name, type, description: meaning, optional: requirement !== "required" };
}

/** Returns the section of the fields, unless there are none. */
function fieldSections(texts: Texts, callable: Callable, paragraphs: readonly string[] = []): Section[] {
  const fields = callerFieldDocs(describeOperation(callable));
  const terms = fields.map((field) => fieldTerm(texts, slugOf(callable), field));
  return terms.length > 0 ? [{ heading: texts.help.headings.fields, paragraphs, terms }] : [];
}

const plainPayloads = { text: "string", html: "string", file: "Buffer" } as const;

/** Returns the type of msg.payload after a response. */
function payloadType({ untouched, orText }: HelpWords, { kind, body, asText }: ResponseDoc): string {
  if (kind === "json") return body!.type + (asText ? orText : "");
  return kind === "empty" ? untouched : plainPayloads[kind];
}

/** Returns the entry of the payload, with its fields. */
function payloadTerm(help: HelpWords, response: ResponseDoc, description: string): Term {
  const term = { name: "payload", type: payloadType(help, response), description };
  const { fields = [], entries } = response.body ?? {};
  if (!entries) return fields.length > 0 ? { ...term, body: { fields } } : term;
  const title = fillGaps(help.eachEntry, { paths: entries.paths.join(", ") });
  return { ...term, body: { fields, entries: { title, fields: entries.fields } } };
}

const fileTerms = ({ filename, contentType }: HelpWords): Term[] => [
  { name: "filename", type: "string", description: filename },
  { name: "contentType", type: "string", description: contentType },
];

/** Returns the section of the message properties after a call. */
const outputSection = (help: HelpWords, payloads: readonly Term[], hasFile: boolean): Section => ({
  heading: help.headings.outputs,
  terms: [
    ...payloads,
    { name: "statusCode", type: "number", description: help.statusCode },
    ...(hasFile ? fileTerms(help) : []),
    { name: "fxdesk", type: "object", description: help.metadata },
  ],
});

/** Returns the paragraph about the request key. */
function keyHelp({ key }: HelpWords, { isRequired, defaultField }: KeyDoc): string {
  const missingKeyText = isRequired
    ? key.needed
    : defaultField === undefined
      ? key.optional
      : fillGaps(key.usual, { usual: defaultField });
  return joinSentences(key.means, missingKeyText, key.again, key.noIdentifier);
}

/** Returns the paragraph about the forms of the result, if it has entries. */
function resultHelp(help: HelpWords, callable: Callable, { paging }: OperationDoc): string[] {
  if (!hasEntries(callable)) return [];
  const lists = listNamesOf(callable);
  const listed = lists.length === 0 ? "" : fillGaps(help.resultLists, { lists: lists.join(", ") });
  const paged = paging === undefined ? [] : [help.paging || paging, help.resultPages];
  return [joinSentences(help.results, ...paged, listed)];
}

/** Returns the section with a result of the sandbox, unless there is none. */
function exampleSections({ headings, example: meaning }: HelpWords, callable: Callable): Section[] {
  const example = resultExampleOf(callable);
  return example === undefined ? [] : [{ heading: headings.example, paragraphs: [meaning], example }];
}

const descriptionsOf = ({ rules }: OperationDoc): string[] => rules.map(({ description }) => description);

function operationDetails({ help, editor }: Texts, callable: Callable, page: OperationDoc): Section {
  const { notes = "", effect } = page;
  const { kind, key } = effect;
  const repetition = help.repetition[kind] || effect.repetition;
  const unknown = kind === "money" ? help.unknownOutcome : "";
  return {
    heading: help.headings.details,
    paragraphs: [
      joinSentences(notes, editor.form.effect[kind], repetition, unknown),
      ...(key ? [keyHelp(help, key)] : []),
      ...resultHelp(help, callable, page),
    ],
    bullets: descriptionsOf(page),
    closing: [help.asking, help.values],
  };
}

function operationSections(texts: Texts, callable: Callable, page: OperationDoc): Section[] {
  const { help } = texts;
  const { request, responses, errors } = page;
  const payloads = responses.map((response) =>
    payloadTerm(help, response, `${response.description} (${response.status})`),
  );
  const errorTerms = errors.map(({ status, description }) => ({
    name: String(status),
    type: "status",
    description,
  }));
  return [
    ...fieldSections(texts, callable, [help.filling]),
    outputSection(
      help,
      payloads,
      responses.some(({ kind }) => kind === "file"),
    ),
    ...exampleSections(help, callable),
    operationDetails(texts, callable, page),
    { heading: help.headings.errors, paragraphs: [help.caught], terms: errorTerms },
    ...(request
      ? [{ heading: help.headings.references, bullets: [`${request.method} ${request.path}`] }]
      : []),
  ];
}

/** Returns the sections of the outputs, details and errors of a watch. */
function watchSections(
  { headings, watch, caught }: HelpWords,
  entries: readonly Term[],
  details: Partial<Section> = {},
): Section[] {
  const changes = [
    ...entries,
    { name: "topic", type: "string", description: watch.topic },
    { name: "fxdesk", type: "object", description: watch.change },
  ];
  const states = [{ name: "payload", type: "object", description: watch.state }];
  return [
    {
      heading: headings.outputs,
      ports: [
        { heading: headings.changes, terms: changes },
        { heading: headings.status, terms: states },
      ],
    },
    { heading: headings.details, ...details, closing: watch.details },
    { heading: headings.errors, paragraphs: [caught] },
  ];
}

function watchHelpSections(texts: Texts, callable: Callable, page: OperationDoc): Section[] {
  const { help } = texts;
  const { notes, responses } = page;
  const entries = responses.map((response) =>
    payloadTerm(help, response, `${response.description} ${help.asItIsNow}`),
  );
  const details = { paragraphs: notes === undefined ? [] : [notes], bullets: descriptionsOf(page) };
  const [outputs, ...others] = watchSections(help, entries, details);
  return [...fieldSections(texts, callable), outputs!, ...exampleSections(help, callable), ...others];
}

/** Colours of the nodes of Node-RED in pictures. */
const inject = { label: "inject", color: "#A6BBCF" };
const debug = { label: "debug", color: "#87A980" };

/** Returns a picture of the smallest flow with a node: Inject, unless the node starts the flow, the node and Debug. */
function flowPicture(label: string, effect: Effect | "trigger"): string {
  const node = { label, color: colors[effect] };
  const boxes = effect === "trigger" ? [node, debug] : [inject, node, debug];
  let x = 5;
  const drawn = boxes.map(({ label: text, color }, index) => {
    const width = 20 + 7 * text.length;
    const wire = index === 0 ? "" : `<path d="M${x - 20} 17h20" stroke="#999" stroke-width="3"/>`;
    const box = `<rect x="${x}" y="4" width="${width}" height="26" rx="${text === label && effect === "trigger" ? 13 : 5}" fill="${color}" stroke="#999"/>`;
    const caption = `<text x="${x + width / 2}" y="21" text-anchor="middle" font-size="12" fill="#333">${escapeHtml(text)}</text>`;
    x += width + 20;
    return wire + box + caption;
  });
  const title = escapeHtml(boxes.map(({ label: text }) => text).join(" → "));
  return `<svg viewBox="0 0 ${x - 15} 34" style="max-width: ${x - 15}px" role="img" aria-label="${title}">${drawn.join("")}</svg>
`;
}

function callHelp(help: HelpWords): NodeHelp {
  const { headings, call } = help;
  const fields = [
    { name: "operation", type: "string", description: call.operation },
    { name: "input", type: "object | string", description: call.input, optional: true },
  ];
  const paging = joinSentences(call.pages, help.results, help.resultPages);
  const sections = [
    { heading: headings.fields, terms: fields },
    outputSection(help, [{ name: "payload", type: "any", description: help.body }], true),
    { heading: headings.details, paragraphs: [...call.details, paging] },
    { heading: headings.errors, paragraphs: [help.caught] },
  ];
  return { summary: call.summary, sections };
}

function anyWatchHelp(help: HelpWords): NodeHelp {
  const { headings, watch, entry } = help;
  const fields = [
    { name: "watch", type: "string", description: watch.watch },
    { name: "input", type: "object", description: watch.input, optional: true },
  ];
  const payload = { name: "payload", type: "object", description: entry };
  const sections = [{ heading: headings.fields, terms: fields }, ...watchSections(help, [payload])];
  return { summary: watch.summary, sections };
}

function connectionHelp({ headings, connection }: HelpWords, service: Service): NodeHelp {
  const settings = settingsOf(service).map(({ name, title, description, secret }) => ({
    name: title,
    type: secret ? "secret" : "string",
    description: joinSentences(description, environmentName(name)),
    optional: true,
  }));
  const sections = [
    { heading: headings.settings, terms: settings },
    { heading: headings.details, paragraphs: connection.details },
  ];
  return { summary: connection.summary, sections };
}

function declaredHelp(texts: Texts, callable: Callable): NodeHelp {
  const page = describeOperation(callable);
  return {
    summary: texts.help.summaries[slugOf(callable)] ?? page.summary,
    sections: isWatch(callable)
      ? watchHelpSections(texts, callable, page)
      : operationSections(texts, callable, page),
  };
}

/**
 * Returns the help files of a language: the help that the editor loads at startup, with summaries and elements that load
 * the sections, and one file per type with the sections. Texts of declarations are in English.
 */
export function helpFiles(
  service: Service,
  texts: Texts,
  language: string,
): Readonly<Record<string, string>> {
  const all = declarationsOf(service);
  const labels: Readonly<Record<string, string>> = texts.editor.labels;
  const withTitles = (text: string): string =>
    withNodeTitles(text, all, (callable) =>
      fillGaps(texts.help.nodeTitle, { title: labels[slugOf(callable)] ?? callable.title }),
    );
  const render = (type: string, help: NodeHelp) =>
    [
      type,
      escapeHtml(help.summary),
      mustache.render(template, help, partials, { escape: escapeHtml }),
    ] as const;
  const general = [
    render(connectionType, connectionHelp(texts.help, service)),
    render(callType, callHelp(texts.help)),
    render(watchType, anyWatchHelp(texts.help)),
  ];
  const declared = all.map((callable) => {
    const [type, ...html] = render(nodeTypeOf(callable), declaredHelp(texts, callable));
    const [summary, sections] = html.map(withTitles);
    const label = labels[slugOf(callable)] ?? callable.title;
    const picture = flowPicture(label, isWatch(callable) ? "trigger" : callable.effect);
    return [type, summary!, picture + sections!] as const;
  });
  const helpByType = [...general, ...declared];
  const summaries = helpByType.map(
    ([type, summary]) =>
      `<script type="text/html" data-help-name="${type}"><p>${summary}</p><fxdesk-help type="${type}"></fxdesk-help></script>`,
  );
  return {
    [`locales/${language}/fxdesk.html`]: summaries.join("\n"),
    ...Object.fromEntries(
      helpByType.map(([type, , sections]) => [`help/${language}/${type}.html`, sections]),
    ),
  };
}
