/**
 * The file the editor loads: a definition of each type, with what is its own, and one form that the shared script fills.
 * Types and the names of their properties are literal, because the tools of the flow library read them without running it.
 */
import { isPaged } from "../../core/client/pages";
import { describeOperation } from "../../core/declaration/describe-operation";
import { mayRespondWith, isRequirementRule, type Callable } from "../../core/declaration/operation";
import { bySection } from "../../core/declaration/sections";
import { dailyOf, declarationsOf, type Service } from "../../core/declaration/service";
import { isWatch, type Watch } from "../../core/declaration/watch";
import {
  callSlug,
  callType,
  exampleConnection,
  nodeTypeOf,
  slugOf,
  watchSlug,
  watchType,
} from "../node-names";
import { createListFinder } from "../field-lists";
import { callAppearance, type Appearance, appearanceOf, watchAppearance } from "./appearance";
import { commonValues, isCommon } from "./common-values";
import { connectionDefinition, connectionTemplate } from "./connection-form";
import { type Control, controlsOf } from "./controls";
import { wrapForm, literal, row, template, textInput } from "./markup";
import { nodeProperties, type Property, propertyFactoriesCode } from "./node-properties";
import { searchWordsOf, sharedWords, sharedWordsCode, wordsCode } from "./search-words";
import { extractSharedParts } from "./shared-parts";
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
interface SharedDefinitions {
  readonly controls: Readonly<Record<string, Control>>;
  readonly words: readonly string[];
}

/** What definitions share. The empty templates are the nodes'; the editor must find each in the page by its type. */
const sharedDefinitionsCode = (form: string, { controls, words }: SharedDefinitions): string =>
  `for (const template of document.querySelectorAll("script[data-template-name^=fxdesk-]:empty")) template.textContent = ${literal(form)};
const common = ${literal(controls)};
${sharedWordsCode(words)}
const controls = (...names) => names.map((each) => (typeof each === "string" ? common[each] : each));
${propertyFactoriesCode}
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
  onadd: function () { fxdesk.connectNewNode(this); },
  oneditprepare: function () { fxdesk.open(this); },
  oneditsave: function () { fxdesk.save(this); }
};
const withOutputs = (...names) => ({
  registerType: (type, own) => RED.nodes.registerType(type, { ...own, ...all, outputLabels: outputsCalled(...names) })
});
const calling = withOutputs("result", "errors");
const watching = withOutputs("changes", "status");`;

/** After the flows are loaded, what is added may be an example. */
const connectExamplesCode = `RED.events.on("flows:loaded", function () {
  RED.events.on("nodes:add", function (node) { fxdesk.addExampleConnection(node, ${literal(exampleConnection)}); });
});`;

/** Rules that say which fields a form asks for, without their sentences. */
const formRulesOf = (callable: Callable): readonly object[] =>
  describeOperation(callable)
    .rules.filter((rule) => isRequirementRule(rule) || rule.kind === "excluded-by")
    .map((rule) => ({ ...rule, description: undefined }));

/** Of a node that begins by itself: what stands in the empty fields of where it begins and how often it reads. */
interface Trigger {
  readonly from: string;
  readonly every: string;
}

/** What a definition tells the shared script. */
interface EditorMetadata {
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
  readonly appearance: Appearance;
  /** Its properties, as code. */
  readonly defaults: string;
  readonly metadata: EditorMetadata;
}

/** As code, in which what most say of a field is its name alone. */
function metadataCode({ controls, searchWords, ...told }: EditorMetadata, shared: SharedDefinitions): string {
  const given = controls.map((each) =>
    literal(isCommon(shared.controls, [each.name, each]) ? each.name : each),
  );
  const texts = Object.entries(told).map(([name, value]) => `${name}: ${literal(value)}`);
  if (searchWords) texts.push(`searchWords: ${wordsCode(searchWords, shared.words)}`);
  return `{ ${texts.join(", ")}, controls: controls(${given.join(", ")}) }`;
}

/** Tools that rate packages read type and definition as they are written: both are literal. */
const registrationCode = (
  { type, appearance, defaults, metadata }: NodeDefinition,
  shared: SharedDefinitions,
): string =>
  `${metadata.trigger ? "watching" : "calling"}.registerType(${literal(type)}, {
  category: ${literal(appearance.category)}, color: ${literal(appearance.color)}, icon: ${literal(appearance.icon)},
  inputs: ${metadata.trigger ? 0 : 1}, outputs: ${metadata.trigger ? 2 : 1},
  defaults: ${defaults},
  fxdesk: ${metadataCode(metadata, shared)}
});`;

/** What operations have that only some have. */
const optionPropertiesOf = (operation: Callable): readonly Property[] => [
  ...(isPaged(operation) ? (["pages"] as const) : []),
  ...(operation.effect === "money" ? (["requestKey"] as const) : []),
  ...(operation.resultList === undefined ? [] : (["rows"] as const)),
  ...(mayRespondWith(operation, "file") || operation.deliversFiles ? (["saveTo"] as const) : []),
];

const operationProperties = (operation: Callable): string =>
  nodeProperties([
    "fields",
    "fromPayload",
    ...optionPropertiesOf(operation),
    "resultTo",
    "outputs",
    "timeoutMs",
  ]);

const startHint = (day: boolean): string => `now, beginning${day ? ", YYYY-MM-DD" : ""}`;

const triggerHintsOf = ({ defaultStart, day, everyMs }: Watch): Trigger => ({
  from: `${defaultStart} (${startHint(day !== undefined)})`,
  every: String(everyMs / 1_000),
});

const declaredNode = (
  callable: Callable,
  appearance: Appearance,
  listFor: ReturnType<typeof createListFinder>,
): NodeDefinition => {
  const rules = formRulesOf(callable);
  const { title } = callable;
  return {
    type: nodeTypeOf(callable),
    appearance,
    defaults: isWatch(callable) ? nodeProperties(["fields", "from", "every"]) : operationProperties(callable),
    metadata: {
      slug: slugOf(callable),
      operation: callable.name,
      title,
      effect: callable.effect,
      ...(rules.length > 0 && { rules }),
      searchWords: searchWordsOf(callable),
      ...(isWatch(callable) && { trigger: triggerHintsOf(callable) }),
      controls: controlsOf(describeOperation(callable), (field) => listFor(callable, field)),
    },
  };
};

const callNodeDefinition: NodeDefinition = {
  type: callType,
  appearance: callAppearance,
  defaults: nodeProperties(
    ["operation", "input", "requestKey", "pages", "rows", "saveTo", "resultTo", "outputs", "timeoutMs"],
    { type: "msg", value: "payload" },
  ),
  metadata: { slug: callSlug, title: english.call.label, controls: [] },
};

const watchNodeDefinition: NodeDefinition = {
  type: watchType,
  appearance: watchAppearance,
  defaults: nodeProperties(["operation", "input", "from", "every"], { type: "json", value: "{}" }),
  metadata: {
    slug: watchSlug,
    title: english.watch.label,
    trigger: { from: startHint(true), every: "" },
    controls: [],
  },
};

/** The nodes of a service in the order of the palette, whose drawers come as their first nodes do. */
function nodeDefinitionsOf(service: Service): readonly NodeDefinition[] {
  const declared = declarationsOf(service);
  const listFor = createListFinder(service);
  const daily = service.daily ? dailyOf(service) : [];
  const others = [...bySection(declared).values()].flat().filter((callable) => !daily.includes(callable));
  const node = (callable: Callable, isDaily: boolean) =>
    declaredNode(callable, appearanceOf(callable, isDaily, declared), listFor);
  return [
    ...daily.map((callable) => node(callable, true)),
    callNodeDefinition,
    watchNodeDefinition,
    ...others.map((callable) => node(callable, false)),
  ];
}

/** The editor's HTML for the connection and the nodes of a service. */
export function editorFile(service: Service): string {
  const nodes = nodeDefinitionsOf(service);
  const controls = nodes.flatMap(({ metadata }) => metadata.controls);
  const shared: SharedDefinitions = {
    controls: commonValues(controls.map((each) => [each.name, each] as const)),
    words: sharedWords(nodes.flatMap(({ metadata }) => metadata.searchWords || [])),
  };
  const script = [
    sharedDefinitionsCode(wrapForm(nodeForm), shared),
    connectionDefinition(service),
    ...nodes.map((node) => registrationCode(node, shared)),
    connectExamplesCode,
  ];
  return `<link rel="stylesheet" href="resources/@fxdesk/toolkit/form.css">
<script type="module" src="resources/@fxdesk/toolkit/form.js"></script>
${connectionTemplate(service)}
${nodes.map(({ type }) => template(type)).join("\n")}
<script type="text/javascript">
{
${extractSharedParts(script.join("\n"), controls)}
}
</script>
`;
}
