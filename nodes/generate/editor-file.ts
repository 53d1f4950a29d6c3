/**
 * Generates the HTML file of the editor: a definition of each node type, and one form that the shared script fills. Types and
 * property names are literals because flow-library tools read them without running the file.
 */
import { isPaged } from "../../core/call/pages";
import { describeOperation } from "../../core/spec/describe-operation";
import { mayRespondWith, isRequirementRule, type Callable } from "../../core/spec/operation";
import { bySection, sectionOf, sectionTitle, splitName } from "../../core/spec/sections";
import { dailyOf, declarationsOf, type Service } from "../../core/spec/service";
import { callerFields } from "../../core/spec/fields";
import { type JsonSchema, responseJsonSchema } from "../../core/spec/json-schema";
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
import { commonValues, isCommon } from "./deduplicate";
import { connectionDefinition, connectionTemplate } from "./connection-form";
import { type Control, controlsOf } from "./controls";
import {
  colors,
  wrapForm,
  literal,
  row,
  template,
  textInput,
  nodeProperties,
  type Property,
  propertyFactoriesCode,
} from "./editor-code";
import { englishLabels } from "./locales";

interface SectionAppearance {
  /** Palette category. Some sections share one. */
  readonly category: string;
  readonly icon: string;
}

/** Appearance of daily operations; its icon is the default of all sections. */
const defaultAppearance: SectionAppearance = { category: "fxdesk", icon: "fxdesk.svg" };

interface Appearance extends SectionAppearance {
  readonly color: string;
}

/** Returns the appearance of a node. Daily operations are in the first category, the others by default in one named after their section. */
function appearanceOf(callable: Callable, isDaily: boolean, all: readonly Callable[]): Appearance {
  const [section] = splitName(callable);
  const ownCategory = `fxdesk ${sectionTitle(section, all).toLowerCase()}`;
  const { category = ownCategory, icon = defaultAppearance.icon } = sectionOf(section, all);
  return {
    category: isDaily ? defaultAppearance.category : category,
    icon,
    color: colors[callable.effect],
  };
}

/** Appearance of the node that calls any operation, which may commit money. */
const callAppearance: Appearance = { ...defaultAppearance, color: colors.money };

const watchAppearance: Appearance = { ...defaultAppearance, color: colors.read };

/** Form of every node. The shared script adds the fields, or the choice of an operation. */
const nodeForm =
  row("node-input-name", "form.name", textInput("node-input-name")) +
  row(
    "node-input-connection",
    "form.connection",
    '<input type="text" id="node-input-connection" style="width: calc(100% - 155px)">',
  ) +
  '<div class="fxdesk-fields"></div>';

/** Most frequent control of each field name. */
type CommonControls = Readonly<Record<string, Control>>;

/** Returns the shared code. It fills the empty form templates, because the editor requires one per node type. */
const sharedDefinitionsCode = (form: string, controls: CommonControls): string =>
  `for (const template of document.querySelectorAll("script[data-template-name^=fxdesk-]:empty")) template.textContent = ${literal(form)};
const common = ${literal(controls)};
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

export interface NodeDefinition {
  readonly type: string;
  readonly appearance: Appearance;
  /** Property definitions, as code. */
  readonly defaults: string;
  readonly metadata: EditorMetadata;
}

/** Returns the metadata as code. Controls with the common value are written as their name. */
function metadataCode({ controls, ...values }: EditorMetadata, common: CommonControls): string {
  const given = controls.map((each) => literal(isCommon(common, [each.name, each]) ? each.name : each));
  const texts = Object.entries(values).map(([name, value]) => `${name}: ${literal(value)}`);
  return `{ ${texts.join(", ")}, controls: controls(${given.join(", ")}) }`;
}

/** Returns the registration code. Type and definition are literals for tools that rate packages. */
const registrationCode = (
  { type, appearance, defaults, metadata }: NodeDefinition,
  common: CommonControls,
): string =>
  `${metadata.trigger ? "watching" : "calling"}.registerType(${literal(type)}, {
  category: ${literal(appearance.category)}, color: ${literal(appearance.color)}, icon: ${literal(appearance.icon)},
  inputs: ${metadata.trigger ? 0 : 1}, outputs: ${metadata.trigger ? 2 : 1},
  defaults: ${defaults},
  fxdesk: ${metadataCode(metadata, common)}
});`;

/** Returns the property names and enum values of a schema, recursively. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, enum: listed } = schema as JsonSchema;
  const own = [...Object.keys(properties ?? {}), ...(Array.isArray(listed) ? listed.map(String) : [])];
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}

/** Returns the search words of an operation, without the names and options of its form fields. */
function searchWordsOf(operation: Callable): string {
  const known = new Set(
    controlsOf(describeOperation(operation)).flatMap(({ name, options = [] }) => [name, ...options]),
  );
  const inputWords = callerFields(operation).flatMap(({ schema }) => namesIn(responseJsonSchema(schema)));
  const outputWords = Object.values(operation.responses).flatMap((response) =>
    "schema" in response ? namesIn(responseJsonSchema(response.schema)) : [],
  );
  const keywords = (operation.keywords ?? []).flatMap((keyword) => keyword.toLowerCase().split(" "));
  const named = [...inputWords, ...outputWords].filter((word) => /[a-z]{3}/i.test(word));
  const words = new Set([...keywords, ...named]);
  return [...words].filter((word) => !known.has(word)).join(" ");
}

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
export function nodeDefinitionsOf(service: Service): readonly NodeDefinition[] {
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
  const common = commonValues(controls.map((each) => [each.name, each] as const));
  const script = [
    sharedDefinitionsCode(wrapForm(nodeForm), common),
    connectionDefinition(service),
    ...nodes.map((node) => registrationCode(node, common)),
    connectExamplesCode,
  ];
  return `<link rel="stylesheet" href="resources/@fxdesk/toolkit/form.css">
<script type="module" src="resources/@fxdesk/toolkit/form.js"></script>
${connectionTemplate(service)}
${nodes.map(({ type }) => template(type)).join("\n")}
<script type="text/javascript">
{
${script.join("\n")}
}
</script>
`;
}
