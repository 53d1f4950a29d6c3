/** Loads the code of the nodes with the first node: Node-RED loads every installed package at startup, used or not. */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { serveEditorTexts } from "./editor/serve-texts";

// Here, because Node-RED 4.1 runs on older versions of Node.js, in which the code of the nodes does not load.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19))
  throw new Error(`fxdesk requires Node.js 20.19 or later; this is ${process.versions.node}.`);

/** Returns a node constructor that is created with the first node of its type. */
export function lazyNode<N extends Node<C>, D extends NodeDef, C extends object>(
  createConstructor: () => NodeConstructor<N, D, C>,
): NodeConstructor<N, D, C> {
  let nodeConstructor: NodeConstructor<N, D, C> | undefined;
  return function LazyNode(this: N, config: D) {
    nodeConstructor ??= createConstructor();
    nodeConstructor.call(this, config);
  };
}

function loadNodeTypes(RED: NodeAPI) {
  const { nodeTypes } = require("./node-types") as typeof import("./node-types");
  return nodeTypes(RED);
}

function createLazyNodeTypes(RED: NodeAPI) {
  let loaded: ReturnType<typeof loadNodeTypes> | undefined;
  const types = () => (loaded ??= loadNodeTypes(RED));
  serveEditorTexts(RED);
  // Express also matches routes added during the request, because they come after this handler.
  RED.httpAdmin.use("/fxdesk", (_request, _response, next) => {
    types();
    next();
  });
  return {
    connection: lazyNode(() => types().connection),
    operation: (name?: string) => lazyNode(() => types().operation(name)),
    watch: (name?: string) => lazyNode(() => types().watch(name)),
  };
}

/** By the admin application of a runtime, because each node set has its own API object. */
const typesByRuntime = new WeakMap<object, ReturnType<typeof createLazyNodeTypes>>();

/**
 * Returns lazy constructors of the node types, shared by all sets of a runtime. The first request of a form to `/fxdesk`
 * also loads the code.
 */
export function lazyNodeTypes(RED: NodeAPI): ReturnType<typeof createLazyNodeTypes> {
  const known = typesByRuntime.get(RED.httpAdmin);
  if (known) return known;
  const created = createLazyNodeTypes(RED);
  typesByRuntime.set(RED.httpAdmin, created);
  return created;
}
