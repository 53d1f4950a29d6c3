/** The examples of the package, and where their nodes may be. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FlowNode, root } from "./node-red";

const examplesFolder = join(root, "examples");

const readFlow = (file: string) => JSON.parse(readFileSync(join(examplesFolder, file), "utf8")) as FlowNode[];

/** Paths of the examples below their folder, in the order of the menu. */
export const exampleFiles = readdirSync(examplesFolder).flatMap((folder) =>
  readdirSync(join(examplesFolder, folder)).map((file) => `${folder}/${file}`),
);

/** Title and flow of each example, in the order of the menu. */
export const examples = exampleFiles.map(
  (file) => [file.replace(/^.*\/\d+ |\.json$/g, ""), readFlow(file)] as const,
);

export const findExample = (title: string) => examples.find(([each]) => each === title)![1];

export const byType = (flow: readonly FlowNode[], type: string) => flow.filter((node) => node.type === type);

export const isWatchNode = (node: FlowNode) => node.type.startsWith("fxdesk-watch");

/** The method and path on which a flow listens. */
export const httpAddressOf = ({ method, url }: FlowNode) => `${String(method)} ${String(url)}`;

/** The nodes that a message of the node comes to, also over links. */
export function nodesBehind(node: FlowNode, flow: readonly FlowNode[]): Set<FlowNode> {
  const found = new Set<FlowNode>([node]);
  for (const each of found) {
    const links = each.type === "link out" ? (each.links as string[]) : [];
    const next = new Set([...links, ...((each.wires ?? []) as string[][]).flat()]);
    for (const other of flow) if (next.has(other.id)) found.add(other);
  }
  return found;
}

/** Placement of a recipe: in its own tab, or in a subflow. */
export interface Placement {
  readonly place: (flow: readonly FlowNode[]) => FlowNode[];
  /** Returns the runtime ID of a node of the recipe. */
  readonly idOf: (id: string) => string;
  /** Returns the node to trigger instead of an Inject node. */
  readonly buttonOf: (id: string) => string;
}

export const ownTabPlacement: Placement = {
  place: (flow) => [...flow],
  idOf: (id) => id,
  buttonOf: (id) => id,
};

const instance = "instance";

/** A subflow has one input; a Switch node behind it hands a message to the Inject node whose button was pressed. */
export const subflowPlacement: Placement = {
  place(flow) {
    const tab = flow.find(({ type }) => type === "tab")!;
    const injects = byType(flow, "inject").map(({ id }) => id);
    const pressed: FlowNode = {
      id: "pressed",
      type: "switch",
      z: tab.id,
      property: "press",
      propertyType: "msg",
      rules: injects.map((id) => ({ t: "eq", v: id, vt: "str" })),
      checkall: "true",
      outputs: injects.length,
      wires: injects.map((id) => [id]),
    };
    const input = { x: 60, y: 60, wires: [{ id: pressed.id }] };
    return [
      { id: tab.id, type: "subflow", name: tab.label, env: tab.env ?? [], in: [input], out: [] },
      { id: "outside", type: "tab", label: "Outside" },
      { id: instance, type: `subflow:${tab.id}`, z: "outside", env: [], wires: [] },
      ...injects.map((id) => ({
        id: `press-${id}`,
        type: "inject",
        z: "outside",
        props: [{ p: "press", v: id, vt: "str" }],
        wires: [[instance]],
      })),
      pressed,
      ...flow.filter((node) => node !== tab),
    ];
  },
  idOf: (id) => `${instance}-${id}`,
  buttonOf: (id) => `press-${id}`,
};

function findNamed(flow: readonly FlowNode[], type: string, name: string): FlowNode {
  const found = byType(flow, type).find((node) => node.name === name);
  if (!found) throw new Error(`There is no node ${name} of the type ${type}`);
  return found;
}

/** The Debug node of a flow with a name. */
export const debugNodeId = (flow: readonly FlowNode[], name: string): string =>
  findNamed(flow, "debug", name).id;

/** The Inject node of a flow with a name. */
export const findButton = (flow: readonly FlowNode[], name: string): FlowNode =>
  findNamed(flow, "inject", name);
