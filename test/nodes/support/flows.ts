/** Flows made for tests. */
import { nodeTypeOf } from "../../../nodes/shared/node-names";
import type { TypedValue } from "../../../nodes/shared/typed-values";
import type { Declaration } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import type { FlowNode } from "./node-red";

export const tab: FlowNode = { id: "tab", type: "tab", label: "Test" };

/** The config node with the demo company's settings. */
export const connectionConfig = (
  { baseUrl, xs2aUrl }: Pick<Sandbox, "baseUrl" | "xs2aUrl">,
  overrides: Readonly<Record<string, unknown>> = {},
): FlowNode => ({
  id: "connection",
  type: "fxdesk-connection",
  name: "Sandbox",
  environment: "sandbox",
  baseUrl,
  xs2aUrl,
  clientId: demo.clientId,
  contactId: demo.contactId,
  credentials: { accessToken: demo.accessToken, apiKey: demo.apiKey },
  ...overrides,
});

/** The variables with which a connection reads its settings from the environment. */
export const environmentFor = ({ baseUrl, xs2aUrl }: Sandbox): Readonly<Record<string, string>> => ({
  FXDESK_BASE_URL: baseUrl,
  FXDESK_XS2A_URL: xs2aUrl,
  FXDESK_CLIENT_ID: demo.clientId,
  FXDESK_CONTACT_ID: demo.contactId,
  FXDESK_ACCESS_TOKEN: demo.accessToken,
  FXDESK_API_KEY: demo.apiKey,
  FXDESK_AUTH_CLIENT_ID: demo.authClientId,
  FXDESK_REDIRECT_URI: demo.redirectUri,
});

/** An operation's node in the test tab. */
export const operationNode = (
  operation: Declaration,
  id: string,
  wires: readonly string[],
  properties: Readonly<Record<string, unknown>> = {},
): FlowNode => ({
  id,
  type: nodeTypeOf(operation),
  z: tab.id,
  connection: "connection",
  fields: {},
  ...properties,
  wires: [wires],
});

export const typed = (type: string, value: string): TypedValue => ({ type, value });

/** An Inject node that is pressed by hand. */
export const injectNode = (
  id: string,
  wires: readonly string[],
  payload: unknown = {},
  more: Readonly<Record<string, unknown>> = {},
): FlowNode => ({
  id,
  type: "inject",
  z: tab.id,
  props: Object.entries({ payload, ...more }).map(([p, value]) => ({
    p,
    v: JSON.stringify(value),
    vt: "json",
  })),
  repeat: "",
  once: false,
  wires: [wires],
});

/** A Debug node that shows whole messages. */
export const debugNode = (id: string): FlowNode => ({
  id,
  type: "debug",
  z: tab.id,
  active: true,
  tosidebar: true,
  complete: "true",
  targetType: "full",
  wires: [],
});

/** Catches every error of the test tab. */
export const catchNode = (id: string, wires: readonly string[]): FlowNode => ({
  id,
  type: "catch",
  z: tab.id,
  scope: null,
  uncaught: false,
  wires: [wires],
});

/** A flow in the test tab: `start`, the nodes, and `end`, which also shows every error. */
export const testFlow = (connection: FlowNode, ...nodes: readonly FlowNode[]): FlowNode[] => [
  tab,
  connection,
  injectNode("start", [nodes[0]!.id]),
  ...nodes,
  debugNode("end"),
  catchNode("caught", ["end"]),
];

export const functionNode = (func: string, next: string, id = "code"): FlowNode => ({
  id,
  type: "function",
  z: tab.id,
  func,
  outputs: 1,
  wires: [[next]],
});

/** Combines a sequence of messages. */
export const joinNode: FlowNode = {
  id: "join",
  type: "join",
  z: tab.id,
  mode: "auto",
  build: "array",
  wires: [["end"]],
};
