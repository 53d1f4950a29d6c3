/**
 * Generates the HTML file of the editor: a definition of each node type, and one form that the shared script fills. Types and
 * property names are literals because flow-library tools read them without running the file.
 */
import { isPaged } from "../../core/call/pages";
import { describeOperation } from "../../core/spec/describe-operation";
import { mayRespondWith, isRequirementRule, type Callable } from "../../core/spec/operation";
import { hasEntries, listNamesOf } from "../../core/spec/result-list";
import { sectionOf, splitName } from "../../core/spec/sections";
import { declarationsOf, type Service } from "../../core/spec/service";
import { isWatch, type Watch } from "../../core/spec/watch";
import {
  callSlug,
  callType,
  editorCatalogue,
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
  propertyNames,
} from "./editor-code";
import { englishLabels, hasListChoice } from "./locales";
import { generalCategory, paletteGroupsOf, setOf, sharedSet } from "./palette";

interface Appearance {
  readonly category: string;
  readonly icon: string;
  readonly color: string;
}

const defaultIcon = "fxdesk.svg";

/** Returns the appearance of a node in a group of the palette. */
function appearanceOf(callable: Callable, category: string, all: readonly Callable[]): Appearance {
  const [section] = splitName(callable);
  const icon = callable.icon ?? sectionOf(section, all).icon ?? defaultIcon;
  return { category, icon, color: isWatch(callable) ? colors.trigger : colors[callable.effect] };
}

/** Form of every node. The shared script adds the fields, or the choice of an operation. */
const nodeForm =
  row("node-input-name", `${editorCatalogue}:form.name`, textInput("node-input-name")) +
  row(
    "node-input-connection",
    `${editorCatalogue}:form.connection`,
    '<input type="text" id="node-input-connection" style="width: calc(100% - 155px)">',
  ) +
  '<div class="fxdesk-fields"></div>';

/** Most frequent control of each field name. */
type CommonControls = Readonly<Record<string, Control>>;

/** Returns the code that all sets share. It fills empty form templates, because the editor requires one per node type. */
const sharedDefinitionsCode = (form: string, controls: CommonControls): string =>
  `const fillTemplates = () => {
  for (const template of document.querySelectorAll("script[data-template-name^=fxdesk-]:empty")) template.textContent = ${literal(form)};
};
const common = ${literal(Object.fromEntries(Object.entries(controls).map(([name, each]) => [name, withoutDefaultKind(each)])))};
const controls = (...names) => names.map((each) => (typeof each === "string" ? common[each] : each));
${propertyFactoriesCode}
const text = (key, values) => RED._(${literal(`${editorCatalogue}:`)} + key, values);
// The palette breaks labels at hyphens and removes them.
const paletteLabel = function () {
  const { slug, title } = this.fxdesk;
  const label = text(\`labels.\${slug}\`, { defaultValue: title });
  return text(\`short.\${slug}\`, { defaultValue: label }).replaceAll("-", "\u2011");
};
const outputsCalled = (...names) => (index) => text(\`form.outputs.\${names[index]}\`);
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
const watching = withOutputs("changes", "status");
globalThis.fxdeskNodes = { fillTemplates, controls, calling, watching, properties: { ${propertyNames.join(", ")} } };`;

/** Returns the code with which the script of a set takes what its registrations use of what all sets share. */
function takeSharedCode(registrations: string): string {
  const used = (names: readonly string[]) =>
    names.filter((name) => new RegExp(`\\b${name}[(.]`).test(registrations)).join(", ");
  return `const { fillTemplates, ${used(["controls", "calling", "watching"])}, properties: { ${used(propertyNames)} } } = fxdeskNodes;
fillTemplates();`;
}

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
  /** True if the operation returns a list page by page. */
  readonly paged?: boolean;
  /** True if it may save several files. */
  readonly several?: true;
  /** Lists of the result, if it has several. */
  readonly lists?: readonly string[];
  /** Additional search words. */
  readonly searchWords?: string;
  readonly trigger?: Trigger;
  /** True if a watch can start at a day. */
  readonly startsAtDay?: boolean;
}

export interface NodeDefinition {
  readonly type: string;
  readonly appearance: Appearance;
  /** Property definitions, as code. */
  readonly defaults: string;
  readonly metadata: EditorMetadata;
}

/** Returns a control without its kind if that is the usual one, because the editor loads all controls. */
const withoutDefaultKind = ({ control, ...others }: Control) =>
  control === (others.options ? "choice" : "text") ? others : { control, ...others };

/** Returns the metadata as code. Controls with the common value are written as their name. */
function metadataCode({ controls, ...values }: EditorMetadata, common: CommonControls): string {
  const given = controls.map((each) =>
    literal(isCommon(common, [each.name, each]) ? each.name : withoutDefaultKind(each)),
  );
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

/** Returns the properties that only some operations have. */
const optionPropertiesOf = (operation: Callable): readonly Property[] => [
  ...(operation.effect === "money" ? (["requestKey"] as const) : []),
  ...(hasEntries(operation) ? (["results"] as const) : []),
  ...(hasListChoice(operation) ? (["list"] as const) : []),
  ...(mayRespondWith(operation, "file") || operation.deliversFiles ? (["saveTo"] as const) : []),
];

const operationProperties = (operation: Callable): string =>
  nodeProperties([
    "fields",
    "fromPayload",
    ...optionPropertiesOf(operation),
    "resultTo",
    "outputs",
    "inOrder",
    "timeoutMs",
  ]);

const startHint = (day: boolean): string => `now, beginning${day ? ", YYYY-MM-DD" : ""}`;

const triggerHintsOf = ({ defaultStart, day, everyMs }: Watch): Trigger => ({
  from: `${defaultStart} (${startHint(day !== undefined)})`,
  every: String(everyMs / 1_000),
});

const resultMetadata = (operation: Callable) => ({
  ...(isPaged(operation) && { paged: true }),
  ...(operation.deliversFiles && { several: true as const }),
  ...(hasListChoice(operation) && { lists: listNamesOf(operation) }),
});

/** Words that find a node: those of its declaration, and CSV if it reads or writes such text. */
function searchWordsOf({ keywords = [] }: Callable, controls: readonly Control[]): string | undefined {
  const hasCsv = controls.some(({ name, options }) => name.endsWith("_csv") || options?.includes("csv"));
  return [...keywords, ...(hasCsv ? ["CSV"] : [])].join(", ") || undefined;
}

const declaredNode = (
  callable: Callable,
  appearance: Appearance,
  listFor: ReturnType<typeof createListFinder>,
): NodeDefinition => {
  const rules = formRulesOf(callable);
  const { title } = callable;
  const controls = controlsOf(describeOperation(callable), (field) => listFor(callable, field));
  const searchWords = searchWordsOf(callable, controls);
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
      ...(searchWords && { searchWords }),
      ...(isWatch(callable)
        ? { trigger: triggerHintsOf(callable), startsAtDay: callable.day !== undefined }
        : resultMetadata(callable)),
      controls,
    },
  };
};

const callNodeDefinition: NodeDefinition = {
  type: callType,
  // It may commit money.
  appearance: { category: generalCategory, icon: defaultIcon, color: colors.money },
  defaults: nodeProperties(
    ["operation", "input", "requestKey", "results", "saveTo", "resultTo", "outputs", "inOrder", "timeoutMs"],
    { type: "msg", value: "payload" },
  ),
  metadata: { slug: callSlug, title: englishLabels[callSlug], paged: true, controls: [] },
};

const watchNodeDefinition: NodeDefinition = {
  type: watchType,
  appearance: { category: generalCategory, icon: defaultIcon, color: colors.trigger },
  defaults: nodeProperties(["operation", "input", "from", "every"], { type: "json", value: "{}" }),
  metadata: {
    slug: watchSlug,
    title: englishLabels[watchSlug],
    trigger: { from: startHint(true), every: "" },
    startsAtDay: true,
    controls: [],
  },
};

/** Returns the nodes in palette order. The order of the first nodes determines the order of the categories. */
export function nodeDefinitionsOf(service: Service): readonly NodeDefinition[] {
  const declared = declarationsOf(service);
  const listFor = createListFinder(service);
  const nodes = paletteGroupsOf(declared).flatMap(({ category, members }) =>
    members.map((each) => declaredNode(each, appearanceOf(each, category, declared), listFor)),
  );
  return [...nodes, callNodeDefinition, watchNodeDefinition];
}

const script = (lines: readonly string[]): string => `<script type="text/javascript">
{
${lines.join("\n")}
}
</script>
`;

/** Returns the editor HTML by node set: the connection with the shared code, and each group of the palette. */
export function editorFiles(service: Service): Readonly<Record<string, string>> {
  const nodes = nodeDefinitionsOf(service);
  const controls = nodes.flatMap(({ metadata }) => metadata.controls);
  const common = commonValues(controls.map((each) => [each.name, each] as const));
  const shared = `<link rel="stylesheet" href="resources/@fxdesk/toolkit/form.css">
<script type="module" src="resources/@fxdesk/toolkit/form.js"></script>
${connectionTemplate(service)}
${script([sharedDefinitionsCode(wrapForm(nodeForm), common), connectionDefinition(service), connectExamplesCode])}`;
  const groups = [...new Set(nodes.map(({ appearance }) => appearance.category))].map((category) => {
    const members = nodes.filter(({ appearance }) => appearance.category === category);
    const registrations = members.map((node) => registrationCode(node, common)).join("\n");
    const html = `${members.map(({ type }) => template(type)).join("\n")}
${script([takeSharedCode(registrations), registrations])}`;
    return [setOf(category), html] as const;
  });
  return { [sharedSet]: shared, ...Object.fromEntries(groups) };
}
