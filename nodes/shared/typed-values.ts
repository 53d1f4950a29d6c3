/** Values of the editor's typed inputs: fixed text, message properties, context, environment, JSONata and templates. */
import mustache from "mustache";
import type { Node, NodeAPI, NodeMessage } from "node-red";

/**
 * Returns the name of an unset variable. Node-RED replaces a field that is exactly `${NAME}` or `$(NAME)` with the value of
 * the variable, and leaves the text unchanged if the variable is not set.
 */
export const unresolvedVariable = (text: string): string | undefined =>
  /^\$\{([^}]+)\}$|^\$\(([^)]+)\)$/.exec(text)?.slice(1).find(Boolean);

export const variableNotSetMessage = (variable: string): string =>
  `the environment variable ${variable} is not set`;

/** Replaces Mustache's writer, which renders missing values as empty and escapes the others for HTML. */
class StrictWriter extends mustache.Writer {
  override unescapedValue([, name]: string[], context: mustache.Context): string {
    const value: unknown = context.lookup(name!);
    if (value === undefined || value === null) throw new Error(`needs {{${name}}}, which has no value`);
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  override escapedValue(token: string[], context: mustache.Context): string {
    return this.unescapedValue(token, context);
  }
}

/** Compiles a template. Throws an Error for a syntax error. Rendering throws an Error that names the first missing value. */
function compileTemplate(template: string): (view: unknown) => string {
  const writer = new StrictWriter();
  writer.parse(template);
  return (view) => writer.render(template, view);
}

/** Stored value of a typed input. `type` is a key of `sourcesByType`, or a plain type for a fixed value. */
export interface TypedValue {
  readonly type: string;
  readonly value: string;
}

/** Returns the value for a message, or undefined if it has none. Throws an Error that names what is missing. */
export type ValueSource = (msg: NodeMessage) => unknown;

/** Node and runtime in which values are evaluated. */
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
      // A path through a missing value has no value.
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

/** True for values that a form stores. */
export function isTypedValue(given: unknown): given is TypedValue {
  const { type, value } = (given ?? {}) as Partial<TypedValue>;
  return typeof type === "string" && typeof value === "string";
}

/** Sources that read nothing but the message. */
const messageTypes: ReadonlySet<string> = new Set(["msg", "template"]);

/** True for environment variables, context, and expressions, which can read both. */
export const readsRuntime = ({ type }: TypedValue): boolean =>
  Object.hasOwn(sourcesByType, type) && !messageTypes.has(type);

/** Prepares a typed input once. If that fails, each message throws the error. */
export function createSource({ type, value }: TypedValue, host: EvaluationContext): ValueSource {
  try {
    const prepare = Object.hasOwn(sourcesByType, type) ? sourcesByType[type]! : fromFixedText;
    return prepare(value, host);
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
