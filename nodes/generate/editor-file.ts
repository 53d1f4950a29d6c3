/**
 * Generates the HTML file of the editor: a definition of each node type, and one form that the shared script fills. Types and
 * property names are literals because flow-library tools read them without running the file.
 */
import { isPaged } from "../../core/call/pages";
import { describeOperation } from "../../core/spec/describe-operation";
import { mayRespondWith, isRequirementRule, type Callable } from "../../core/spec/operation";
import { bySection } from "../../core/spec/sections";
import { dailyOf, declarationsOf, type Service } from "../../core/spec/service";
import { isWatch, type Watch } from "../../core/spec/watch";
import {
  callSlug,
  callType,
  exampleConnection,
  nodeTypeOf,
  slugOf,
  watchSlug,
  watchType,
} from "../shared/node-names";
import { createListFinder } from "../editor/field-lists";
import { callAppearance, type Appearance, appearanceOf, watchAppearance } from "./appearance";
import { commonValues, isCommon, extractSharedParts } from "./deduplicate";
import { connectionDefinition, connectionTemplate } from "./connection-form";
import { type Control, controlsOf } from "./controls";
import {
  wrapForm,
  literal,
  row,
  template,
  textInput,
  nodeProperties,
  type Property,
  propertyFactoriesCode,
} from "./editor-code";
import { searchWordsOf, sharedWords, sharedWordsCode, wordsCode } from "./search-words";
import { englishLabels } from "./locales";

/** Form of every node. The shared script adds the fields, or the choice of an operation. */
const nodeForm =
  row("node-input-name", "form.name", textInput("node-input-name")) +
  row(
    "node-input-connection",
    "form.connection",
    '<input type="text" id="node-input-connection" style="width: calc(100% - 155px)">',
  ) +
  '<div class="fxdesk-fields"></div>';

/** Values shared by the definitions of a file. */
interface SharedDefinitions {
  readonly controls: Readonly<Record<string, Control>>;
  readonly words: readonly string[];
}

/** Returns the shared code. It fills the empty form templates, because the editor requires one per node type. */
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

/** Code that adds the connection of imported examples. Nodes added before the flows are loaded are not imports. */
const connectExamplesCode = `RED.events.on("flows:loaded", function () {
  RED.events.on("nodes:add", function (node) { fxdesk.addExampleConnection(node, ${literal(exampleConnection)}); });
});`;

/** Returns the rules that decide which fields a form shows, without their descriptions. */
const formRulesOf = (callable: Callable): readonly object[] =>
  describeOperation(callable)
    .rules.filter((rule) => isRequirementRule(rule) || rule.kind === "excluded-by")
    .map((rule) => ({ ...rule, description: undefined }));

/** Placeholders of the start position and the interval of a watch node. */
interface Trigger {
  readonly from: string;
  readonly every: string;
}

/** Metadata of a node type for the shared script. */
interface EditorMetadata {
  readonly slug: string;
  readonly operation?: string;
  /** English title. Locale catalogues override it. */
  readonly title: string;
  readonly effect?: string;
  readonly controls: readonly Control[];
  readonly rules?: readonly object[];
  /** Additional search words. */
  readonly searchWords?: string;
  readonly trigger?: Trigger;
}

interface NodeDefinition {
  readonly type: string;
  readonly appearance: Appearance;
  /** Property definitions, as code. */
  readonly defaults: string;
  readonly metadata: EditorMetadata;
}

/** Returns the metadata as code. Controls with the common value are written as their name. */
function metadataCode(
  { controls, searchWords, ...values }: EditorMetadata,
  shared: SharedDefinitions,
): string {
  const given = controls.map((each) =>
    literal(isCommon(shared.controls, [each.name, each]) ? each.name : each),
  );
  const texts = Object.entries(values).map(([name, value]) => `${name}: ${literal(value)}`);
  if (searchWords) texts.push(`searchWords: ${wordsCode(searchWords, shared.words)}`);
  return `{ ${texts.join(", ")}, controls: controls(${given.join(", ")}) }`;
}

/** Returns the registration code. Type and definition are literals for tools that rate packages. */
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

/** Returns the properties that only some operations have. */
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
  metadata: { slug: callSlug, title: englishLabels[callSlug], controls: [] },
};

const watchNodeDefinition: NodeDefinition = {
  type: watchType,
  appearance: watchAppearance,
  defaults: nodeProperties(["operation", "input", "from", "every"], { type: "json", value: "{}" }),
  metadata: {
    slug: watchSlug,
    title: englishLabels[watchSlug],
    trigger: { from: startHint(true), every: "" },
    controls: [],
  },
};

/** Returns the nodes in palette order. The order of the first nodes determines the order of the categories. */
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

/** Returns the editor HTML for the connection and the nodes of a service. */
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
