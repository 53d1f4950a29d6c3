/** Generates the editor files of the release nodes: forms, locale texts and help. */
import { releaseAsked, releaseDecided } from "../../core/watches/releases";
import { connectionType } from "../shared/node-names";
import type { TypedValue } from "../shared/typed-values";
import { decisionFields } from "../release/release-node";
import { catalogueFiles, helpFiles } from "./language-files";
import { releasesCatalogue } from "./locale-catalogue";
import type { Words } from "./words/en";
import { helpOf, labelParts, labelsOf, type WrittenNode } from "./written-nodes";

interface ReleaseNode extends WrittenNode {
  readonly isTrigger: boolean;
}

const payloadNote =
  "msg.payload describes the release: release, state, terms, seal, asked_by, valid_until. msg.fxdesk.correlation is the value " +
  "that the requesting flow set in msg.fxdesk.correlation. No other property of the requesting message is stored.";
const deliveryNote =
  "Each change is delivered once, also across restarts. If Node-RED was killed during delivery, it is delivered again with msg.fxdesk.repeated set to true.";

const releaseAskedNode: ReleaseNode = {
  type: "fxdesk-release-asked",
  label: releaseAsked.title,
  summary: releaseAsked.summary,
  details: [
    payloadNote,
    deliveryNote,
    "Forward it by mail or chat to the people who decide. Opening a link to the releases page does not release anything.",
  ],
  isTrigger: true,
};

const releaseDecidedNode: ReleaseNode = {
  type: "fxdesk-release-decided",
  label: releaseDecided.title,
  summary: releaseDecided.summary,
  details: [
    "States: released, refused, cancelled and expired; for orders also booking, booked and unknown; for calls also sent.",
    payloadNote,
    deliveryNote,
  ],
  isTrigger: true,
};

const decisionNode: ReleaseNode = {
  type: "fxdesk-release",
  label: "Release",
  summary: "Releases or rejects an order or call, in the name of the person whose secret the node holds.",
  details: [
    "The connection names the policy file and the people file. Release ID and seal are read from msg.payload unless the form sets another source. A seal that does not match the terms is refused.",
    "Requesters cannot release their own requests. But anyone who can change this flow or send it a message decides in the name of this person. Where possible, let people decide on the releases page.",
    "msg.payload is then the new state of the release. Invalid decisions go to Catch nodes with the code release_refused.",
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

/** Uses an ID outside the editor's own scheme: the editor would store the value without its type. */
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

/** Returns file contents by path below dist/nodes; releases.js is compiled. */
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
