/** Where the value of a field comes from: one of the editor's typed inputs. */
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { notSet, unresolvedVariable } from "../environment";
import { compileTemplate } from "./template";

/** A value as the form keeps it. `type` is a key of the table below, or a plain type for a fixed value. */
export interface TypedValue {
  readonly type: string;
  readonly value: string;
}

/** Returns the value for a message; undefined where there is none. Throws an Error that says what it needs. */
export type Source = (msg: NodeMessage) => unknown;

/** The node for which values are read, and the runtime it lives in. */
export interface Host {
  readonly RED: NodeAPI;
  readonly node: Node;
}

type Prepare = (text: string, host: Host) => Source;

function fixed(text: string): Source {
  const variable = unresolvedVariable(text);
  if (variable !== undefined) throw new Error(`needs a value, but ${notSet(variable)}`);
  return () => text;
}

const fromMessage: Prepare = (path, { RED }) => {
  RED.util.normalisePropertyExpression(path);
  return (msg) => {
    try {
      return RED.util.getMessageProperty(msg, path) as unknown;
    } catch (error) {
      // A path through something that is not there has no value.
      if (error instanceof TypeError) return undefined;
      throw error;
    }
  };
};

const fromContext =
  (type: "flow" | "global"): Prepare =>
  (key, { RED, node }) =>
  (msg) =>
    new Promise((resolve, reject) =>
      RED.util.evaluateNodeProperty(key, type, node, msg, (error, value) =>
        error ? reject(error) : resolve(value),
      ),
    );

const fromExpression: Prepare = (expression, { RED, node }) => {
  const prepared = RED.util.prepareJSONataExpression(expression, node);
  return (msg) =>
    new Promise((resolve, reject) =>
      RED.util.evaluateJSONataExpression(prepared, msg, (error, value) =>
        error ? reject(error) : resolve(value),
      ),
    );
};

const fromEnvironment: Prepare = (name, { RED, node }) => {
  const value: unknown = RED.util.getSetting(node, name);
  if (value === undefined || value === "") throw new Error(`needs a value, but ${notSet(name)}`);
  return () => value;
};

const sources: Readonly<Record<string, Prepare>> = {
  msg: fromMessage,
  flow: fromContext("flow"),
  global: fromContext("global"),
  jsonata: fromExpression,
  env: fromEnvironment,
  template: compileTemplate,
};

/** Prepares a typed input once; one that cannot be prepared says so at each message. */
export function sourceOf({ type, value }: TypedValue, host: Host): Source {
  try {
    return (sources[type] ?? fixed)(value, host);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
