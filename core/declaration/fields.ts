/** The fields of an operation, read once from its declaration: what forms, tools, commands and the wire work from. */
import type { z } from "zod";
import { defaultOf, isRequired, kindOf, metaOf, optionsOf, type Kind } from "../schema/kind";
import type { Callable, Declaration, FilledBy, GeneratedValue, Parameter, Shape } from "./operation";
import { isProcedure } from "./procedure";
import { isWatch } from "./watch";

/**
 * Where a request has the field; `document` is the whole body, in place of the fields of `body`. Those of a procedure
 * and of a watch are their input, and in no request.
 */
export type FieldLocation = "path" | "query" | "header" | "body" | "document" | "input";

export interface Field {
  /** The contract's own name. */
  readonly name: string;
  readonly location: FieldLocation;
  readonly schema: z.ZodType;
  readonly filledBy: FilledBy;
  /** The connection's name for the value, when the connection fills it. */
  readonly setting: string;
  /** What fxdesk makes where neither the caller nor the connection gives a value. */
  readonly generate?: GeneratedValue;
  /** Filled by code or a person, else from the connection; a model is never asked for it. */
  readonly hiddenFromModels: boolean;
  readonly list: "repeat" | "comma";
  readonly required: boolean;
  readonly kind: Kind;
  /** For people: "Account ID". */
  readonly title: string;
  readonly description: string;
  /** The exact strings allowed, when the schema is a closed enumeration. */
  readonly options?: readonly string[];
  /** Other spellings in which the options are taken, each with the option it stands for. */
  readonly aliases?: ReadonlyMap<string, string>;
  readonly default?: unknown;
}

const isParameter = (value: z.ZodType | Parameter): value is Parameter => "by" in value;

/** `value_date` and `bookingStatus` read as "Value date" and "Booking status". */
function titleFromName(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** What people call a field: as its schema says, or by its name. */
export const titleOf = (name: string, schema: z.ZodType): string =>
  metaOf(schema).title ?? titleFromName(name);

function fieldsOfShape(
  place: FieldLocation,
  shape: Shape,
  generates: Declaration["generates"] = {},
): Field[] {
  return Object.entries(shape).map(([name, value]) => {
    const parameter: Parameter = isParameter(value) ? value : { schema: value, by: "caller" };
    const { schema, by, setting = name, hiddenFromModels = false, list = "repeat" } = parameter;
    const { generate = generates[name] } = parameter;
    const { description = "", alsoSpelled } = metaOf(schema);
    const options = optionsOf(schema);
    const defaultValue = defaultOf(schema);
    return {
      name,
      location: place,
      schema,
      filledBy: by,
      setting,
      ...(generate && { generate }),
      hiddenFromModels,
      list,
      required: isRequired(schema),
      kind: kindOf(schema),
      title: titleOf(name, schema),
      description,
      ...(alsoSpelled && { aliases: alsoSpelled }),
      ...(options && { options }),
      ...(defaultValue !== undefined && { default: defaultValue }),
    };
  });
}

const documentShape = ({ document }: Declaration): Shape =>
  document ? { [document.name]: document.schema } : {};

/** All fields of a request, in the order path, query, header, body, document. */
const requestFields = (operation: Declaration): readonly Field[] => [
  ...fieldsOfShape("path", operation.parameters ?? {}),
  ...fieldsOfShape("query", operation.query ?? {}, operation.generates),
  ...fieldsOfShape("header", operation.headers ?? {}, operation.generates),
  ...fieldsOfShape("body", operation.body?.shape ?? {}, operation.generates),
  ...fieldsOfShape("document", documentShape(operation)),
];

/** All fields, in the order in which they are declared. */
export const fieldsOf = memoizePerOperation((callable: Callable): readonly Field[] =>
  isProcedure(callable) || isWatch(callable)
    ? fieldsOfShape("input", callable.input)
    : requestFields(callable as Declaration),
);

/** The values of all fields; one that has none has its default. */
export const withDefaults = (
  operation: Callable,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    fieldsOf(operation).map(({ name, default: value }) => [name, values[name] ?? value] as const),
  );

/** The fields a person, a flow or code fills. */
export const callerFields = memoizePerOperation((operation: Callable): readonly Field[] =>
  fieldsOf(operation).filter((field) => field.filledBy === "caller"),
);

/** Those of them that fxdesk makes where the caller leaves them out. */
export const generatedCallerFields = memoizePerOperation((operation): readonly Field[] =>
  callerFields(operation).filter(({ generate }) => generate !== undefined),
);

/** Those of them that a model fills. */
export const modelFields = memoizePerOperation((operation: Callable): readonly Field[] =>
  callerFields(operation).filter(({ hiddenFromModels }) => !hiddenFromModels),
);

/** Those that no model is asked for: the connection fills them where code or a person does not. */
export const fieldsHiddenFromModels = memoizePerOperation((operation: Callable): readonly Field[] =>
  callerFields(operation).filter(({ hiddenFromModels }) => hiddenFromModels),
);

export type Values = Readonly<Record<string, unknown>>;

/** Derives something from a declaration once and remembers it for as long as the declaration lives. */
export function memoizePerOperation<T, D extends Callable = Declaration>(
  derive: (operation: D) => T,
): (operation: D) => T {
  const cache = new WeakMap<D, T>();
  return (operation) => {
    let derived = cache.get(operation);
    if (derived === undefined) cache.set(operation, (derived = derive(operation)));
    return derived;
  };
}
