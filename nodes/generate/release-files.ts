/** What the editor reads of the nodes round releases: forms, words and help. */
import { releaseAsked, releaseDecided } from "../../core/releases/release-watches";
import { connectionType } from "../node-names";
import type { TypedValue } from "../operation/value-sources";
import { decisionFields } from "../release/release-node";
import { catalogueFiles, helpFiles } from "./language-files";
import { releasesCatalogue } from "./locale-catalogue";
import type { Words } from "./words/en";
import { helpOf, labelParts, labelsOf, type WrittenNode } from "./written-nodes";

interface ReleaseNode extends WrittenNode {
  readonly isTrigger: boolean;
}

const payloadNote =
  "msg.payload is how it stands: release, state, terms, seal, asked_by, valid_until; msg.fxdesk.correlation is what the " +
  "flow that asked had in its own. Nothing else of the message that asked is kept.";
const deliveryNote =
  "Each is told once, over restarts too; where it was told and Node-RED ended at once, again, with msg.fxdesk.repeated true.";

const releaseAskedNode: ReleaseNode = {
  type: "fxdesk-release-asked",
  label: releaseAsked.title,
  summary: releaseAsked.summary,
  details: [
    payloadNote,
    deliveryNote,
    "Send it on to whoever must act, by mail or message. A link to the page of releases says yes to nothing.",
  ],
  isTrigger: true,
};

const releaseDecidedNode: ReleaseNode = {
  type: "fxdesk-release-decided",
  label: releaseDecided.title,
  summary: releaseDecided.summary,
  details: [
    "The states are released, refused, cancelled and expired; booking, booked and unknown of an order; sent of a call.",
    payloadNote,
    deliveryNote,
  ],
  isTrigger: true,
};

const decisionNode: ReleaseNode = {
  type: "fxdesk-release",
  label: "Release",
  summary: "Says yes or no to an order or a call, as the person whose secret the node holds.",
  details: [
    "The connection names the files of policy and people. The release ID and the seal are those of msg.payload unless the form says otherwise: another seal than that of the terms is refused.",
    "Whoever asked cannot release. But whoever can change this flow, or send it a message, has the yes of this person: let people decide on the page, where you can.",
    "msg.payload is how it stands afterwards. What does not count goes to Catch nodes, with the code release_refused.",
  ],
  isTrigger: false,
};

export const releaseNodes: readonly ReleaseNode[] = [releaseAskedNode, releaseDecidedNode, decisionNode];

const defaultValues: Readonly<Record<(typeof decisionFields)[number], TypedValue>> = {
  decision: { type: "str", value: "release" },
  release: { type: "msg", value: "payload.release" },
  seal: { type: "msg", value: "payload.seal" },
  note: { type: "str", value: "" },
};

const row = (name: keyof Words["releases"], type = "text", id = `node-input-${name}`): string =>
  `<div class="form-row"><label for="${id}" data-i18n="form.${name}"></label>` +
  `<input type="${type}" id="${id}" style="width: calc(100% - 155px)"></div>`;

/** The editor keeps what has an id of its own kind as text; these have a type, too. */
const typedRow = (name: keyof Words["releases"]): string => row(name, "text", `node-input-fxdesk-${name}`);

const form = ({ isTrigger }: ReleaseNode): string =>
  [
    row("name"),
    row("connection"),
    ...(isTrigger ? [] : [row("person"), row("secret", "password"), ...decisionFields.map(typedRow)]),
  ].join("");

const template = (node: ReleaseNode): string =>
  `<script type="text/html" data-template-name="${node.type}">${form(node)}</script>`;

const editHandlersCode = `oneditprepare: function () {
    for (const name of ${JSON.stringify(decisionFields)}) {
      const input = $("#node-input-fxdesk-" + name).typedInput({ types: ["str", "msg", "flow", "global", "jsonata", "env"] });
      input.parent().find(".red-ui-typedInput-input").attr("aria-label", this._("form." + name));
      const given = this[name] || this._def.defaults[name].value;
      input.typedInput("type", given.type);
      input.typedInput("value", given.value);
    }
  },
  oneditsave: function () {
    for (const name of ${JSON.stringify(decisionFields)}) {
      const input = $("#node-input-fxdesk-" + name);
      this[name] = { type: input.typedInput("type"), value: input.typedInput("value") };
    }
  }`;

function defaults({ isTrigger }: ReleaseNode): string {
  const fields = decisionFields.map((name) => `${name}: { value: ${JSON.stringify(defaultValues[name])} }`);
  return [
    'name: { value: "" }',
    `connection: { type: ${JSON.stringify(connectionType)}, value: "" }`,
    ...(isTrigger ? [] : ['person: { value: "", required: true }', ...fields]),
    "version: { value: 1 }",
  ].join(",\n    ");
}

const definition = (node: ReleaseNode): string => `RED.nodes.registerType(${JSON.stringify(node.type)}, {
  category: "fxdesk releases",
  color: ${JSON.stringify(node.isTrigger ? "#B5D3E7" : "#F0A58F")},
  icon: "approvals.svg",
  inputs: ${node.isTrigger ? 0 : 1},
  outputs: 1,
  fxdesk: { effect: "${node.isTrigger ? "read" : "money"}" },
  defaults: {
    ${defaults(node)}
  },${node.isTrigger ? "" : '\n  credentials: { secret: { type: "password" } },'}
  ${labelParts(node)}${node.isTrigger ? "" : `,\n  ${editHandlersCode}`}
});`;

/** Paths below dist/nodes and what they hold; releases.js is compiled. */
export const releaseFiles = (): Readonly<Record<string, string>> => ({
  "releases.html": `${releaseNodes.map(template).join("\n")}
<script type="text/javascript">
${releaseNodes.map(definition).join("\n")}
</script>
`,
  ...catalogueFiles("releases", (words) => ({
    ...releasesCatalogue(words),
    labels: labelsOf(releaseNodes, words),
  })),
  ...helpFiles("releases", (words) => helpOf(releaseNodes, words)),
});
