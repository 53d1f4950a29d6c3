/** Generates the editor files of the assistant nodes: forms, locale texts and help. */
import { flowFieldKinds } from "../assistant/flow-tools";
import { connectionType } from "../shared/node-names";
import { catalogueFiles, helpFiles } from "./language-files";
import { drawerLabels } from "./locale-catalogue";
import type { Words } from "./words/en";
import { helpOf, labelParts, labelsOf, type WrittenNode } from "./written-nodes";

const serverType = "fxdesk-mcp-server";

const serverNode: WrittenNode = {
  type: serverType,
  label: "MCP server",
  summary: "Offers the connection to AI assistants as an MCP server on Node-RED's own address.",
  details: [
    "Assistants use the address of Node-RED with this path, such as http://localhost:1880/mcp, and send the token as Authorization: Bearer. Anyone who has the token can call the tools, so choose a random token of at least 16 characters. If the form has no token, FXDESK_MCP_TOKEN of the environment is used.",
    "Tools that change something or commit money are offered only if the permissions here allow them. Calls that commit money wait for a person's release unless the policy of the connection says otherwise.",
    "If Node-RED requires a password for HTTP nodes (httpNodeAuth), assistants cannot reach the path. Exempt the path from the password with a proxy.",
  ],
};

const toolNode: WrittenNode = {
  type: "fxdesk-tool",
  label: "Tool",
  summary: "Starts a flow that AI assistants can call as a tool.",
  details: [
    "msg.payload holds the validated arguments, and msg.fxdesk identifies the call. End the flow with a Tool result node, which needs that msg.fxdesk.",
    "A model chooses a tool by its description. Describe what the tool does and when to use it.",
    "Tick “Changes data” if the flow does more than read. It is then offered only if the MCP server allows changes. A deploy ends waiting calls.",
  ],
};

const toolResultNode: WrittenNode = {
  type: "fxdesk-tool-result",
  label: "Tool result",
  summary: "Ends a flow that an AI assistant called and returns msg.payload to it.",
  details: [
    "Text is returned unchanged, an object as structured content. Also wire a Catch node to this node: the assistant then receives the message of msg.error if the flow fails.",
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

/** Returns file contents by path below dist/nodes; mcp.js is compiled. */
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
