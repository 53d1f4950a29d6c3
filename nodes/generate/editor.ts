/** The file the editor loads: definitions with literal types and defaults, and forms that the shared script fills. */
import { comesInPages } from "../../core/client/pages";
import { pageOf } from "../../core/declaration/described-page";
import { mayRespondWith, type Callable } from "../../core/declaration/operation";
import { dailyOf, declarationsOf, type Service } from "../../core/declaration/service";
import { isWatch, type Watch } from "../../core/declaration/watch";
import { usualKey } from "../operation/key";
import { usualProperty } from "../operation/result";
import {
  callSlug,
  callType,
  connectionType,
  exampleConnection,
  nodeTypeOf,
  slugOf,
  watchSlug,
  watchType,
} from "../names";
import { listsOf } from "../lists";
import { connectionDefinition, connectionTemplate } from "./connection";
import { type Control, controlsOf } from "./controls";
import { literal, properties, row, template, textInput, version } from "./markup";
import { searchWordsOf } from "./search-words";
import { callAppearance, type Appearance, appearanceOf, paletteLabelOf, watchAppearance } from "./appearance";

/** What every node has; the shared script adds the fields of the operation, or the choice of one. */
const operationForm =
  row("node-input-name", "form.name", textInput("node-input-name")) +
  row(
    "node-input-connection",
    "form.connection",
    '<input type="text" id="node-input-connection" style="width: calc(100% - 155px)">',
  ) +
  '<div class="fxdesk-fields"></div>';

const pagesDefault = 'pages: { value: "all" }';
const requestKeyDefault = `requestKey: { value: ${literal(usualKey)} }`;
const rowsDefault = 'rows: { value: "whole" }';
/** Errors have an output of their own where there are two. */
const outputDefaults = [`resultTo: { value: ${literal(usualProperty)} }`, "outputs: { value: 1 }"] as const;
const saveToDefault = 'saveTo: { value: { type: "str", value: "" } }';

/** The properties of a node, with those that only some have between those that all have. */
const nodeDefaults = (...own: readonly string[]): string[] => [
  'name: { value: "" }',
  `connection: { type: ${literal(connectionType)}, value: "" }`,
  ...own,
  `version: { value: ${version} }`,
];

const fieldsDefault =
  "fields: { value: {}, validate: function (fields, option) { return fxdesk.violations(this, fields, option); } }";
const namedDefault = 'operation: { value: "", required: true }';
const inputDefault = (type: string, value: string): string =>
  `input: { value: ${literal({ type, value })}, validate: function (input, option) { return fxdesk.inputProblem(this, input, option); } }`;
const timeLimitDefault = 'timeoutMs: { value: "", validate: RED.validators.number(true) }';

const operationDefaults = (operation: Callable): string[] =>
  nodeDefaults(
    fieldsDefault,
    "fromPayload: { value: false }",
    ...(comesInPages(operation) ? [pagesDefault] : []),
    ...(operation.effect === "money" ? [requestKeyDefault] : []),
    ...(operation.rows === undefined ? [] : [rowsDefault]),
    ...(mayRespondWith(operation, "file") || operation.delivers ? [saveToDefault] : []),
    ...outputDefaults,
    timeLimitDefault,
  );

/** Where it begins the first time, and how long after one read the next is made, in seconds; as declared when empty. */
const watchingDefaults = [
  'from: { value: "" }',
  'every: { value: "", validate: RED.validators.number(true) }',
] as const;

const watchDefaults = nodeDefaults(fieldsDefault, ...watchingDefaults);

const anyWatchDefaults = nodeDefaults(namedDefault, inputDefault("json", "{}"), ...watchingDefaults);

const callDefaults = nodeDefaults(
  namedDefault,
  inputDefault("msg", "payload"),
  requestKeyDefault,
  pagesDefault,
  rowsDefault,
  saveToDefault,
  ...outputDefaults,
  timeLimitDefault,
);

type ListFor = ReturnType<typeof listsOf>;

/** Rules that say which fields a form asks for, without their sentences; nothing where there are none. */
function rulesPart(callable: Callable | undefined): string {
  const asking = (callable ? pageOf(callable).rules : [])
    .filter(({ kind }) => ["exactly-one", "needed-by", "needed-unless", "excluded-by"].includes(kind))
    .map((rule) => ({ ...rule, description: undefined }));
  return asking.length > 0 ? `rules: ${literal(asking)},` : "";
}

interface NodeDefinition {
  readonly type: string;
  /** What its fields belong to; undefined where the form names it. */
  readonly callable?: Callable;
  readonly paletteLabel: string;
  readonly slug: string;
  readonly look: Appearance;
  readonly defaults: readonly string[];
  readonly controls: readonly Control[];
  /** What it is found by beside its label. */
  readonly searchWords: string;
  /** Of a node that begins by itself, which has no message to take values from. */
  readonly trigger?: {
    /** What stands in the empty fields of where it begins and how often it reads. */
    readonly from: string;
    readonly every: string;
  };
}

const definition = ({
  type,
  paletteLabel,
  slug,
  look,
  defaults,
  controls,
  searchWords,
  callable,
  trigger,
}: NodeDefinition): string =>
  `RED.nodes.registerType(${literal(type)}, {
  category: ${literal(look.category)},
  color: ${literal(look.color)},
  icon: ${literal(look.icon)},
  paletteLabel: ${literal(paletteLabel)},
  inputs: ${trigger ? 0 : 1},
  outputs: ${trigger ? 2 : 1},
  outputLabels: ${trigger ? '["changes", "status"]' : '["result", "errors"]'},
  defaults: ${properties(defaults)},
  fxdesk: { slug: ${literal(slug)},${callable ? ` operation: ${literal(callable.name)}, effect: ${literal(callable.effect)},` : ""} controls: ${literal(controls)}, ${rulesPart(callable)} searchWords: ${literal(searchWords)}${trigger ? `, trigger: ${literal(trigger)}` : ""} },
  label: function () { return fxdesk.label(this); },
  labelStyle: function () { return fxdesk.labelStyle(this); },
  onadd: function () { fxdesk.added(this); },
  oneditprepare: function () { fxdesk.open(this); },
  oneditsave: function () { fxdesk.save(this); }
});`;

const operationDefinition = (operation: Callable, isDaily: boolean, listFor: ListFor): string =>
  definition({
    type: nodeTypeOf(operation),
    paletteLabel: paletteLabelOf(operation),
    callable: operation,
    slug: slugOf(operation),
    look: appearanceOf(operation, isDaily),
    defaults: operationDefaults(operation),
    controls: controlsOf(pageOf(operation), (field) => listFor(operation, field)),
    searchWords: searchWordsOf(operation),
  });

const beginnings = (day: boolean): string => `now, beginning${day ? ", YYYY-MM-DD" : ""}`;

const watchDefinition = (watch: Watch, isDaily: boolean, listFor: ListFor): string =>
  definition({
    type: nodeTypeOf(watch),
    paletteLabel: paletteLabelOf(watch),
    callable: watch,
    slug: slugOf(watch),
    look: appearanceOf(watch, isDaily),
    defaults: watchDefaults,
    controls: controlsOf(pageOf(watch), (field) => listFor(watch, field)),
    searchWords: searchWordsOf(watch),
    trigger: {
      from: `${watch.begins} (${beginnings(watch.day !== undefined)})`,
      every: String(watch.everyMs / 1_000),
    },
  });

const anyWatchDefinition = definition({
  type: watchType,
  paletteLabel: "Watch",
  slug: watchSlug,
  look: watchAppearance,
  defaults: anyWatchDefaults,
  controls: [],
  searchWords: "",
  trigger: { from: beginnings(true), every: "" },
});

const declaredDefinition = (callable: Callable, isDaily: boolean, listFor: ListFor): string =>
  isWatch(callable)
    ? watchDefinition(callable, isDaily, listFor)
    : operationDefinition(callable, isDaily, listFor);

const callDefinition = definition({
  type: callType,
  paletteLabel: "Call operation",
  slug: callSlug,
  look: callAppearance,
  defaults: callDefaults,
  controls: [],
  searchWords: "",
});

/** After the flows are loaded, what is added may be an example. */
const examplesConnected = `RED.events.on("flows:loaded", function () {
  RED.events.on("nodes:add", function (node) { fxdesk.connect(node, ${literal(exampleConnection)}); });
});`;

/** The editor's HTML for the connection and the nodes of a service. */
export function editorFile(service: Service): string {
  const declared = declarationsOf(service);
  const listFor = listsOf(service);
  const types = [callType, watchType, ...declared.map(nodeTypeOf)];
  const daily = service.daily ? dailyOf(service) : [];
  const others = declared.filter((callable) => !daily.includes(callable));
  // The drawers of the palette are in the order in which their first nodes come.
  const definitions = [
    connectionDefinition(service),
    ...daily.map((callable) => declaredDefinition(callable, true, listFor)),
    callDefinition,
    anyWatchDefinition,
    ...others.map((callable) => declaredDefinition(callable, false, listFor)),
    examplesConnected,
  ];
  return `<link rel="stylesheet" href="resources/@fxdesk/toolkit/form.css">
<script type="module" src="resources/@fxdesk/toolkit/form.js"></script>
${connectionTemplate(service)}
${types.map((type) => template(type, operationForm)).join("\n")}
<script type="text/javascript">
${definitions.join("\n")}
</script>
`;
}
