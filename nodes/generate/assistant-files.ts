/** What the editor reads of the nodes for AI assistants: forms, words and help. */
import { flowFieldKinds } from "../assistant/flow-tools";
import { connectionType } from "../node-names";
import { catalogueFiles, helpFiles } from "./language-files";
import { drawerLabels } from "./locale-catalogue";
import type { Words } from "./words/en";
import { helpOf, labelParts, labelsOf, type WrittenNode } from "./written-nodes";

const serverType = "fxdesk-mcp-server";

const serverNode: WrittenNode = {
  type: serverType,
  label: "MCP server",
  summary: "Offers the connection to AI assistants as an MCP server, on Node-RED's own address.",
  details: [
    "An assistant is given that address with the path below it, such as http://localhost:1880/mcp, and the token, which it sends as Authorization: Bearer. Whoever has the token can call the tools: at least 16 characters that nobody can guess. Where the form has none, it is FXDESK_MCP_TOKEN of the environment.",
    "Tools that change something, or that commit money, are offered only where that is allowed here. What commits money waits for a person's release, unless the policy of the connection says otherwise.",
    "Where Node-RED asks for a password of its own for HTTP nodes (httpNodeAuth), assistants cannot pass: leave the path out of it, with a proxy.",
  ],
};

const toolNode: WrittenNode = {
  type: "fxdesk-tool",
  label: "Tool",
  summary: "Begins a flow that AI assistants call as a tool, beside those of the service.",
  details: [
    "msg.payload holds the arguments, which fit what the form says; msg.fxdesk stands for the call. End the flow with a Tool result node, which needs that msg.fxdesk.",
    "A model chooses a tool by its description: say what it does, and when it is the right one.",
    "A flow that does more than read must say so: it is offered only where the MCP server allows changes. A deploy ends the calls that wait.",
  ],
};

const toolResultNode: WrittenNode = {
  type: "fxdesk-tool-result",
  label: "Tool result",
  summary: "Ends a flow that an AI assistant called: msg.payload is what it is told.",
  details: [
    "Text is told as it is, an object with its fields. Wire a Catch node to it as well, so that what went wrong is told instead of nothing: the words of msg.error are.",
  ],
};

export const assistantNodes: readonly WrittenNode[] = [serverNode, toolNode, toolResultNode];

type AssistantWords = Words["assistants"];
type Label = keyof AssistantWords["form"];

const label = (name: Label, id: string): string => `<label for="${id}" data-i18n="form.${name}"></label>`;
const row = (name: Label, inner: string, id: string): string =>
  `<div class="form-row">${label(name, id)}${inner}</div>`;
const width = 'style="width: calc(100% - 155px)"';

const input = (prefix: string, name: Label, type = "text", hint?: keyof AssistantWords["hint"]): string => {
  const id = `${prefix}-${name}`;
  const placeholder = hint ? ` data-i18n="[placeholder]hint.${hint}"` : "";
  return row(name, `<input type="${type}" id="${id}" ${width}${placeholder}>`, id);
};

const effectOptions = { "": "read", change: "change", "change,money": "money" } as const;
const options = Object.entries(effectOptions).map(
  ([value, name]) => `<option value="${value}" data-i18n="allow.${name}"></option>`,
);

const configInputPrefix = "node-config-input";
const nodeInputPrefix = "node-input";

const forms: Readonly<Record<string, string>> = {
  [serverNode.type]: [
    input(configInputPrefix, "name"),
    input(configInputPrefix, "connection"),
    input(configInputPrefix, "path"),
    input(configInputPrefix, "token", "password", "token"),
    row(
      "allow",
      `<select id="${configInputPrefix}-allow" ${width}>${options.join("")}</select>`,
      `${configInputPrefix}-allow`,
    ),
    input(configInputPrefix, "toolsets", "text", "toolsets"),
  ].join(""),
  [toolNode.type]: [
    input(nodeInputPrefix, "server"),
    input(nodeInputPrefix, "tool", "text", "tool"),
    input(nodeInputPrefix, "title", "text", "title"),
    row(
      "description",
      `<textarea id="${nodeInputPrefix}-description" rows="3" ${width}></textarea>`,
      `${nodeInputPrefix}-description`,
    ),
    row(
      "changes",
      `<input type="checkbox" id="${nodeInputPrefix}-changes" style="width: auto">`,
      `${nodeInputPrefix}-changes`,
    ),
    input(nodeInputPrefix, "timeoutSeconds", "number"),
    '<div class="form-row"><label data-i18n="form.fields"></label><ol id="node-input-fxdesk-fields"></ol></div>',
    input(nodeInputPrefix, "name"),
  ].join(""),
  [toolResultNode.type]: input(nodeInputPrefix, "name"),
};

const definitions: Readonly<Record<string, string>> = {
  [serverNode.type]: `category: "config",
  defaults: {
    name: { value: "" },
    connection: { type: ${JSON.stringify(connectionType)}, value: "" },
    path: { value: "/mcp", required: true, validate: RED.validators.regex(/^\\/[\\w\\-/.]*[\\w-]$/) },
    allow: { value: "" },
    toolsets: { value: "" },
    version: { value: 1 }
  },
  credentials: { token: { type: "password" } },
  label: function () { return this.name || this.path; }`,
  [toolNode.type]: `category: "fxdesk assistants",
  color: "#B5D3E7",
  icon: "fxdesk.svg",
  inputs: 0,
  outputs: 1,
  defaults: {
    name: { value: "" },
    server: { type: ${JSON.stringify(serverType)}, required: true },
    tool: { value: "", required: true, validate: RED.validators.regex(/^[a-z][a-z0-9_]{0,63}$/) },
    title: { value: "" },
    description: { value: "", required: true },
    changes: { value: false },
    timeoutSeconds: { value: 60, required: true, validate: RED.validators.number() },
    fields: { value: [] },
    version: { value: 1 }
  },
  ${labelParts(toolNode, "this.tool || ")},
  oneditprepare: function () {
    const words = (key) => this._(key);
    $("#node-input-fxdesk-fields").css("min-height", "120px").editableList({
      sortable: true,
      removable: true,
      addItem: function (row, index, field) {
        const named = (name) => ({ "data-field": name, "aria-label": words("field." + name), placeholder: words("field." + name) });
        const line = $("<div>", { style: "display: flex; gap: 6px; align-items: center" }).appendTo(row);
        $("<input>", { type: "text", ...named("name") }).css({ width: "28%" }).val(field.name || "").appendTo(line);
        const kind = $("<select>", { "data-field": "kind", "aria-label": "kind" }).css({ width: "22%" }).appendTo(line);
        for (const each of ${JSON.stringify(flowFieldKinds)}) $("<option>", { value: each }).text(words("kind." + each)).appendTo(kind);
        kind.val(field.kind || "text");
        $("<input>", { type: "text", ...named("description") }).css({ flex: 1 }).val(field.description || "").appendTo(line);
        const needed = $("<label>").css({ width: "auto", margin: 0 }).appendTo(line);
        $("<input>", { type: "checkbox", "data-field": "required" }).css({ width: "auto", margin: "0 4px 0 0" }).prop("checked", field.required !== false).appendTo(needed);
        needed.append(document.createTextNode(words("field.required")));
      }
    });
    for (const field of this.fields || []) $("#node-input-fxdesk-fields").editableList("addItem", field);
  },
  oneditsave: function () {
    this.fields = $("#node-input-fxdesk-fields").editableList("items").toArray().map((row) => {
      const of = (name) => row.find("[data-field=" + name + "]");
      return { name: of("name").val().trim(), kind: of("kind").val(), description: of("description").val().trim(), required: of("required").prop("checked") };
    });
  }`,
  [toolResultNode.type]: `category: "fxdesk assistants",
  color: "#B5D3E7",
  icon: "fxdesk.svg",
  inputs: 1,
  outputs: 0,
  defaults: { name: { value: "" }, version: { value: 1 } },
  ${labelParts(toolResultNode)}`,
};

const template = ({ type }: WrittenNode): string =>
  `<script type="text/html" data-template-name="${type}">${forms[type]}</script>`;

const definition = ({ type }: WrittenNode): string =>
  `RED.nodes.registerType(${JSON.stringify(type)}, {\n  ${definitions[type]}\n});`;

/** Paths below dist/nodes and what they hold; mcp.js is compiled. */
export const assistantFiles = (): Readonly<Record<string, string>> => ({
  "mcp.html": `${assistantNodes.map(template).join("\n")}
<script type="text/javascript">
${assistantNodes.map(definition).join("\n")}
</script>
`,
  ...catalogueFiles("mcp", (words) => ({
    ...words.assistants,
    palette: drawerLabels(words),
    labels: labelsOf(assistantNodes, words),
  })),
  ...helpFiles("mcp", (words) => helpOf(assistantNodes, words)),
});
