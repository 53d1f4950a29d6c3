/**
 * The file the editor loads: a definition of each type, with what is its own, and one form that the shared script fills.
 * Types and the names of their properties are literal, because the tools of the flow library read them without running it.
 */
import { comesInPages } from "../../core/client/pages";
import { pageOf } from "../../core/declaration/described-page";
import { mayRespondWith, requires, type Callable } from "../../core/declaration/operation";
import { bySection } from "../../core/declaration/sections";
import { dailyOf, declarationsOf, type Service } from "../../core/declaration/service";
import { isWatch, type Watch } from "../../core/declaration/watch";
import { callSlug, callType, exampleConnection, nodeTypeOf, slugOf, watchSlug, watchType } from "../names";
import { listsOf } from "../lists";
import { callAppearance, type Appearance, appearanceOf, watchAppearance } from "./appearance";
import { commonOf, isCommon } from "./common";
import { connectionDefinition, connectionTemplate } from "./connection";
import { type Control, controlsOf } from "./controls";
import { inForm, literal, row, template, textInput } from "./markup";
import { nodeProperties, type Property, propertyMakers } from "./properties";
import { searchWordsOf, sharedWords, sharedWordsCode, wordsCode } from "./search-words";
import { withSharedParts } from "./shared-parts";
import { english } from "./words/en";

/** What every node has; the shared script adds the fields of the operation, or the choice of one. */
const nodeForm =
  row("node-input-name", "form.name", textInput("node-input-name")) +
  row(
    "node-input-connection",
    "form.connection",
    '<input type="text" id="node-input-connection" style="width: calc(100% - 155px)">',
  ) +
  '<div class="fxdesk-fields"></div>';

/** What the definitions of a file say once. */
interface Shared {
  readonly controls: Readonly<Record<string, Control>>;
  readonly words: readonly string[];
}

/** What definitions share. The empty templates are the nodes'; the editor must find each in the page by its type. */
const sharedCode = (form: string, { controls, words }: Shared): string =>
  `for (const template of document.querySelectorAll("script[data-template-name^=fxdesk-]:empty")) template.textContent = ${literal(form)};
const common = ${literal(controls)};
${sharedWordsCode(words)}
const controls = (...names) => names.map((each) => (typeof each === "string" ? common[each] : each));
${propertyMakers}
const paletteLabel = function () {
  const { slug, title } = this.fxdesk;
  const label = this._(\`labels.\${slug}\`, { defaultValue: title });
  return label.replace(/\\p{L}+/gu, (word) => this._(\`short.\${word}\`, { defaultValue: word }));
};
const outputsCalled = (...names) => function (index) { return this._(\`form.outputs.\${names[index]}\`); };
const all = {
  paletteLabel,
  label: function () { return fxdesk.label(this); },
  labelStyle: function () { return fxdesk.labelStyle(this); },
  onadd: function () { fxdesk.added(this); },
  oneditprepare: function () { fxdesk.open(this); },
  oneditsave: function () { fxdesk.save(this); }
};
const withOutputs = (...names) => ({
  registerType: (type, own) => RED.nodes.registerType(type, { ...own, ...all, outputLabels: outputsCalled(...names) })
});
const calling = withOutputs("result", "errors");
const watching = withOutputs("changes", "status");`;

/** After the flows are loaded, what is added may be an example. */
const examplesConnected = `RED.events.on("flows:loaded", function () {
  RED.events.on("nodes:add", function (node) { fxdesk.connect(node, ${literal(exampleConnection)}); });
});`;

/** Rules that say which fields a form asks for, without their sentences. */
const rulesOf = (callable: Callable): readonly object[] =>
  pageOf(callable)
    .rules.filter((rule) => requires(rule) || rule.kind === "excluded-by")
    .map((rule) => ({ ...rule, description: undefined }));

/** Of a node that begins by itself: what stands in the empty fields of where it begins and how often it reads. */
interface Trigger {
  readonly from: string;
  readonly every: string;
}

/** What a definition tells the shared script. */
interface Told {
  readonly slug: string;
  readonly operation?: string;
  /** In English: what the catalogue of another language has comes first. */
  readonly title: string;
  readonly effect?: string;
  readonly controls: readonly Control[];
  readonly rules?: readonly object[];
  /** What it is found by beside its label. */
  readonly searchWords?: string;
  readonly trigger?: Trigger;
}

interface NodeDefinition {
  readonly type: string;
  readonly look: Appearance;
  /** Its properties, as code. */
  readonly defaults: string;
  readonly told: Told;
}

/** As code, in which what most say of a field is its name alone. */
function toldText({ controls, searchWords, ...told }: Told, shared: Shared): string {
  const given = controls.map((each) =>
    literal(isCommon(shared.controls, [each.name, each]) ? each.name : each),
  );
  const texts = Object.entries(told).map(([name, value]) => `${name}: ${literal(value)}`);
  if (searchWords) texts.push(`searchWords: ${wordsCode(searchWords, shared.words)}`);
  return `{ ${texts.join(", ")}, controls: controls(${given.join(", ")}) }`;
}

/** Tools that rate packages read type and definition as they are written: both are literal. */
const registration = ({ type, look, defaults, told }: NodeDefinition, shared: Shared): string =>
  `${told.trigger ? "watching" : "calling"}.registerType(${literal(type)}, {
  category: ${literal(look.category)}, color: ${literal(look.color)}, icon: ${literal(look.icon)},
  inputs: ${told.trigger ? 0 : 1}, outputs: ${told.trigger ? 2 : 1},
  defaults: ${defaults},
  fxdesk: ${toldText(told, shared)}
});`;

/** What operations have that only some have. */
const optionsOf = (operation: Callable): readonly Property[] => [
  ...(comesInPages(operation) ? (["pages"] as const) : []),
  ...(operation.effect === "money" ? (["requestKey"] as const) : []),
  ...(operation.rows === undefined ? [] : (["rows"] as const)),
  ...(mayRespondWith(operation, "file") || operation.delivers ? (["saveTo"] as const) : []),
];

const operationProperties = (operation: Callable): string =>
  nodeProperties(["fields", "fromPayload", ...optionsOf(operation), "resultTo", "outputs", "timeoutMs"]);

const beginnings = (day: boolean): string => `now, beginning${day ? ", YYYY-MM-DD" : ""}`;

const triggerOf = ({ begins, day, everyMs }: Watch): Trigger => ({
  from: `${begins} (${beginnings(day !== undefined)})`,
  every: String(everyMs / 1_000),
});

const declaredNode = (
  callable: Callable,
  look: Appearance,
  listFor: ReturnType<typeof listsOf>,
): NodeDefinition => {
  const rules = rulesOf(callable);
  const { title } = callable;
  return {
    type: nodeTypeOf(callable),
    look,
    defaults: isWatch(callable) ? nodeProperties(["fields", "from", "every"]) : operationProperties(callable),
    told: {
      slug: slugOf(callable),
      operation: callable.name,
      title,
      effect: callable.effect,
      ...(rules.length > 0 && { rules }),
      searchWords: searchWordsOf(callable),
      ...(isWatch(callable) && { trigger: triggerOf(callable) }),
      controls: controlsOf(pageOf(callable), (field) => listFor(callable, field)),
    },
  };
};

const callNode: NodeDefinition = {
  type: callType,
  look: callAppearance,
  defaults: nodeProperties(
    ["operation", "input", "requestKey", "pages", "rows", "saveTo", "resultTo", "outputs", "timeoutMs"],
    { type: "msg", value: "payload" },
  ),
  told: { slug: callSlug, title: english.call.label, controls: [] },
};

const watchNode: NodeDefinition = {
  type: watchType,
  look: watchAppearance,
  defaults: nodeProperties(["operation", "input", "from", "every"], { type: "json", value: "{}" }),
  told: {
    slug: watchSlug,
    title: english.watch.label,
    trigger: { from: beginnings(true), every: "" },
    controls: [],
  },
};

/** The nodes of a service in the order of the palette, whose drawers come as their first nodes do. */
function nodesOf(service: Service): readonly NodeDefinition[] {
  const declared = declarationsOf(service);
  const listFor = listsOf(service);
  const daily = service.daily ? dailyOf(service) : [];
  const others = [...bySection(declared).values()].flat().filter((callable) => !daily.includes(callable));
  const node = (callable: Callable, isDaily: boolean) =>
    declaredNode(callable, appearanceOf(callable, isDaily, declared), listFor);
  return [
    ...daily.map((callable) => node(callable, true)),
    callNode,
    watchNode,
    ...others.map((callable) => node(callable, false)),
  ];
}

/** The editor's HTML for the connection and the nodes of a service. */
export function editorFile(service: Service): string {
  const nodes = nodesOf(service);
  const all = nodes.flatMap(({ told }) => told.controls);
  const shared: Shared = {
    controls: commonOf(all.map((each) => [each.name, each] as const)),
    words: sharedWords(nodes.flatMap(({ told }) => told.searchWords || [])),
  };
  const script = [
    sharedCode(inForm(nodeForm), shared),
    connectionDefinition(service),
    ...nodes.map((node) => registration(node, shared)),
    examplesConnected,
  ];
  return `<link rel="stylesheet" href="resources/@fxdesk/toolkit/form.css">
<script type="module" src="resources/@fxdesk/toolkit/form.js"></script>
${connectionTemplate(service)}
${nodes.map(({ type }) => template(type)).join("\n")}
<script type="text/javascript">
{
${withSharedParts(script.join("\n"), all)}
}
</script>
`;
}
