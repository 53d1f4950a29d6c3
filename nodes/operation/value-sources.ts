/** Where the value of a field comes from: one of the editor's typed inputs. */
import type { Node, NodeAPI, NodeMessage } from "node-red";
import { variableNotSetMessage, unresolvedVariable } from "../environment";
import { compileTemplate } from "./template";

/** A value as the form keeps it. `type` is a key of the table below, or a plain type for a fixed value. */
export interface TypedValue {
  readonly type: string;
  readonly value: string;
}

/** Returns the value for a message; undefined where there is none. Throws an Error that says what it needs. */
export type ValueSource = (msg: NodeMessage) => unknown;

/** The node for which values are read, and the runtime it lives in. */
export interface EvaluationContext {
  readonly RED: NodeAPI;
  readonly node: Node;
}

type PrepareSource = (text: string, host: EvaluationContext) => ValueSource;

function fromFixedText(text: string): ValueSource {
  const variable = unresolvedVariable(text);
  if (variable !== undefined) throw new Error(`needs a value, but ${variableNotSetMessage(variable)}`);
  return () => text;
}

const fromMessage: PrepareSource = (path, { RED }) => {
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
  (type: "flow" | "global"): PrepareSource =>
  (key, { RED, node }) =>
  (msg) =>
    new Promise((resolve, reject) =>
      RED.util.evaluateNodeProperty(key, type, node, msg, (error, value) =>
        error ? reject(error) : resolve(value),
      ),
    );

const fromExpression: PrepareSource = (expression, { RED, node }) => {
  const prepared = RED.util.prepareJSONataExpression(expression, node);
  return (msg) =>
    new Promise((resolve, reject) =>
      RED.util.evaluateJSONataExpression(prepared, msg, (error, value) =>
        error ? reject(error) : resolve(value),
      ),
    );
};

const fromEnvironment: PrepareSource = (name, { RED, node }) => {
  const value: unknown = RED.util.getSetting(node, name);
  if (value === undefined || value === "")
    throw new Error(`needs a value, but ${variableNotSetMessage(name)}`);
  return () => value;
};

const sourcesByType: Readonly<Record<string, PrepareSource>> = {
  msg: fromMessage,
  flow: fromContext("flow"),
  global: fromContext("global"),
  jsonata: fromExpression,
  env: fromEnvironment,
  template: compileTemplate,
};

/** Prepares a typed input once; one that cannot be prepared says so at each message. */
export function createSource({ type, value }: TypedValue, host: EvaluationContext): ValueSource {
  try {
    return (sourcesByType[type] ?? fromFixedText)(value, host);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
