/**
 * Nodes whose code is loaded with the first of them: Node-RED loads every package at its start, whether a flow uses it or
 * not.
 */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { serveTexts } from "./texts";

/** A type of node that is made when the first node of it is. */
export function lazily<N extends Node<C>, D extends NodeDef, C extends object>(
  make: () => NodeConstructor<N, D, C>,
): NodeConstructor<N, D, C> {
  let made: NodeConstructor<N, D, C> | undefined;
  return function LazyNode(this: N, config: D) {
    made ??= make();
    made.call(this, config);
  };
}

function loadTypes(RED: NodeAPI) {
  const { nodeTypes } = require("./types") as typeof import("./types");
  return nodeTypes(RED);
}

/** The types of the service, and what forms are read from. The first other request of a form loads them, too. */
export function lazyTypes(RED: NodeAPI) {
  let loaded: ReturnType<typeof loadTypes> | undefined;
  const types = () => (loaded ??= loadTypes(RED));
  serveTexts(RED);
  // The routes that are added now are found by the same request: they lie behind this one.
  RED.httpAdmin.use("/fxdesk", (_request, _response, next) => {
    types();
    next();
  });
  return {
    connection: lazily(() => types().connection),
    operation: (name?: string) => lazily(() => types().operation(name)),
    watch: (name?: string) => lazily(() => types().watch(name)),
  };
}
