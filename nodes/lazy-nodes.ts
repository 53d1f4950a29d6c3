/**
 * Nodes whose code is loaded with the first of them: Node-RED loads every package at its start, whether a flow uses it or
 * not.
 */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { serveEditorTexts } from "./serve-editor-texts";

/** A type of node that is made when the first node of it is. */
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

/** The types of the service, and what forms are read from. The first other request of a form loads them, too. */
export function lazyNodeTypes(RED: NodeAPI) {
  let loaded: ReturnType<typeof loadNodeTypes> | undefined;
  const types = () => (loaded ??= loadNodeTypes(RED));
  serveEditorTexts(RED);
  // The routes that are added now are found by the same request: they lie behind this one.
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
