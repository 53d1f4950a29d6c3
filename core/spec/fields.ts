/** The fields of a declaration, derived once and used by forms, tools, commands and the encoder. */
import type { z } from "zod";
import { defaultOf, isRequired, kindOf, metaOf, optionsOf, type Kind } from "../values/kind";
import type { Callable, Declaration, FilledBy, GeneratedValue, Parameter, Shape } from "./operation";
import { isProcedure } from "./procedure";
import { isWatch } from "./watch";

/**
 * The location of a field in the request. `document` replaces the whole body. Fields of procedures and watches are
 * `input`: they are not part of a request.
 */
export type FieldLocation = "path" | "query" | "header" | "body" | "document" | "input";

/** A field of an operation, procedure or watch, with defaults applied. */
export interface Field {
  /** Name as in the contract. */
  readonly name: string;
  readonly location: FieldLocation;
  readonly schema: z.ZodType;
  readonly filledBy: FilledBy;
  /** Name of the connection setting, for fields that the connection fills. */
  readonly setting: string;
  /** Value that fxdesk generates if neither the caller nor the connection provides one. */
  readonly generate?: GeneratedValue;
  /** True if only code, people or the connection set it, never a model. */
  readonly hiddenFromModels: boolean;
  readonly list: "repeat" | "comma";
  readonly required: boolean;
  readonly kind: Kind;
  /** Label for people, for example "Account ID". */
  readonly title: string;
  readonly description: string;
  /** Allowed values, if the schema is a closed enumeration. */
  readonly options?: readonly string[];
  /** Accepted alternative spellings, each mapped to its option. */
  readonly aliases?: ReadonlyMap<string, string>;
  readonly default?: unknown;
}

const isParameter = (value: z.ZodType | Parameter): value is Parameter => "by" in value;

const acronyms = /\b(iban|bban|bic|pan|psu|tpp|id|ip|sepa|ndf|camt|coda|mt940|csv|pdf|xls|jsonl?)\b/gi;

/** Converts `value_date` and `creditorIban` to "Value date" and "Creditor IBAN". */
export function titleFromName(name: string): string {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[-_]/g, " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
  return title.replace(acronyms, (word) => word.toUpperCase());
}

/** Returns the title of the schema, or a title made from the name. */
export const titleOf = (name: string, schema: z.ZodType): string =>
  metaOf(schema).title ?? titleFromName(name);

function fieldsOfShape(
  location: FieldLocation,
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
      location,
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

/** Returns all fields of a request in the order path, query, header, body, document. */
const requestFields = (operation: Declaration): readonly Field[] => [
  ...fieldsOfShape("path", operation.parameters ?? {}),
  ...fieldsOfShape("query", operation.query ?? {}, operation.generates),
  ...fieldsOfShape("header", operation.headers ?? {}, operation.generates),
  ...fieldsOfShape("body", operation.body?.shape ?? {}, operation.generates),
  ...fieldsOfShape("document", documentShape(operation)),
];

/** Returns all fields of a declaration in their declared order. */
export const fieldsOf = memoizePerOperation((callable: Callable): readonly Field[] =>
  isProcedure(callable) || isWatch(callable)
    ? fieldsOfShape("input", callable.input)
    : requestFields(callable as Declaration),
);

/** Returns the values of all fields, with defaults for missing ones. */
export const withDefaults = (
  operation: Callable,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> =>
  Object.fromEntries(
    fieldsOf(operation).map(({ name, default: value }) => [name, values[name] ?? value] as const),
  );

/** Returns the fields that a person, a flow or code fills. */
export const callerFields = memoizePerOperation((operation: Callable): readonly Field[] =>
  fieldsOf(operation).filter((field) => field.filledBy === "caller"),
);

/** Returns the caller's fields that fxdesk generates if omitted. */
export const generatedCallerFields = memoizePerOperation((operation): readonly Field[] =>
  callerFields(operation).filter(({ generate }) => generate !== undefined),
);

/** Returns the caller's fields that models see. */
export const modelFields = memoizePerOperation((operation: Callable): readonly Field[] =>
  callerFields(operation).filter(({ hiddenFromModels }) => !hiddenFromModels),
);

/** Returns the caller's fields that models never see. */
export const fieldsHiddenFromModels = memoizePerOperation((operation: Callable): readonly Field[] =>
  callerFields(operation).filter(({ hiddenFromModels }) => hiddenFromModels),
);

export type Values = Readonly<Record<string, unknown>>;

/** Memoizes a function of a declaration. Results are garbage-collected with the declaration. */
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
