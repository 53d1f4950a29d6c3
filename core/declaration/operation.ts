/** What an operation of the service is: data from which every surface derives. */
import type { z } from "zod";
import { propertyOf } from "../schema/kind";

/**
 * What a call does. `read` changes nothing; `change` changes or asks for something; `money` commits or moves money, or
 * changes who may approve it.
 */
export type Effect = "read" | "change" | "money";

/** What each effect means, for people and models; the surfaces add what matters to them. */
export const effectDescriptions: Readonly<Record<Effect, string>> = {
  read: "Changes nothing.",
  change: "Changes or asks for something.",
  money: "Commits or moves money, or changes who may approve it.",
};

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Who gives a parameter its value. Only the caller's appear on a form, a tool or the command line. */
export type FilledBy = "caller" | "connection" | "fxdesk";

/** What fxdesk can make by itself: a new UUID for each call, or this machine's own address. */
export type GeneratedValue = "uuid" | "local-address";

/** A parameter of which there is more to say than its schema. A bare schema is a parameter the caller fills. */
export interface Parameter<S extends z.ZodType = z.ZodType, By extends FilledBy = FilledBy> {
  readonly schema: S;
  readonly by: By;
  /** The connection's name for the value; by default the parameter's own. */
  readonly setting?: string;
  /** How fxdesk makes the value where nobody gives one. */
  readonly make?: GeneratedValue;
  /** Code or a person may fill it, else the connection does; a model is never asked for it. */
  readonly hiddenFromModels?: true;
  /** How an array is written in a query: `a=1&a=2` (the default) or `a=1,2`. */
  readonly list?: "repeat" | "comma";
}

export type Shape = Readonly<Record<string, z.ZodType | Parameter>>;

/** Filled from the connection's settings, such as its client id. */
export const byConnection = <S extends z.ZodType>(
  schema: S,
  setting?: string,
): Parameter<S, "connection"> => ({
  schema,
  by: "connection",
  ...(setting !== undefined && { setting }),
});

/** The same; fxdesk makes the value where the connection has none. */
export const byConnectionOrGenerated = <S extends z.ZodType>(
  schema: S,
  make: GeneratedValue,
): Parameter<S, "connection"> => ({
  schema,
  by: "connection",
  make,
});

/**
 * Filled by code or a person, else from the connection's settings; a model is never asked for it, as for the addresses to
 * which people and notices are sent.
 */
export const hiddenFromModels = <S extends z.ZodType>(
  schema: S,
  setting?: string,
): Parameter<S, "caller"> => ({
  schema,
  by: "caller",
  hiddenFromModels: true,
  ...(setting !== undefined && { setting }),
});

/** Made by fxdesk for each call, such as a request id. */
export const byFxdesk = <S extends z.ZodType>(schema: S, make: GeneratedValue): Parameter<S, "fxdesk"> => ({
  schema,
  by: "fxdesk",
  make,
});

/** An array written with commas between its values. */
export const commaSeparated = <S extends z.ZodType>(schema: S): Parameter<S, "caller"> => ({
  schema,
  by: "caller",
  list: "comma",
});

/** Media types in which a response comes as text instead of JSON, and the values of a field that ask for that. */
export interface AsText {
  readonly mediaTypes: readonly string[];
  readonly field: string;
  readonly values: readonly string[];
}

/** What comes back with one status. */
export type ResponseDeclaration =
  | {
      readonly kind: "json";
      readonly description: string;
      readonly schema: z.ZodType;
      readonly headers?: ResponseHeaders;
      readonly asText?: AsText;
    }
  | {
      readonly kind: "text" | "html" | "file" | "empty";
      readonly description: string;
      readonly headers?: ResponseHeaders;
    };

/** Documented headers of a response and what they mean. */
export type ResponseHeaders = Readonly<Record<string, string>>;

export const json = <S extends z.ZodType>(schema: S, description: string, headers?: ResponseHeaders) => ({
  kind: "json" as const,
  description,
  schema,
  ...(headers && { headers }),
});
/** The same response, or text where a field asks for it. */
export const orText = <A extends ResponseDeclaration & { kind: "json" }, const T extends AsText>(
  response: A,
  asText: T,
) => ({
  ...response,
  asText,
});
export const text = (description: string) => ({ kind: "text" as const, description });
export const html = (description: string) => ({ kind: "html" as const, description });
export const file = (description: string) => ({ kind: "file" as const, description });
export const empty = (description: string, headers?: ResponseHeaders) => ({
  kind: "empty" as const,
  description,
  ...(headers && { headers }),
});

/**
 * A body that is one text in a media type of its own, such as XML. A call has it in place of the JSON body: where its
 * field is given, the body's fields make no sense, save those that go along in a form.
 */
export interface TextDocument {
  /** The field that holds the text. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** The first is written; each is read. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** With some of the body's fields beside it, the two are parts of a multipart/form-data body. */
  readonly form?: DocumentForm;
}

export interface DocumentForm {
  /** Name of the part that is the document. */
  readonly documentPart: string;
  /** Name of the part that holds the fields, as JSON. */
  readonly fieldsPart: string;
  readonly fields: readonly string[];
}

/** A documented error: its meaning, and the schema of its body where the contract gives one. */
export type ErrorDeclaration = string | readonly [description: string, body: z.ZodType];

/** What a documented error means. */
export const errorDescription = (error: ErrorDeclaration): string =>
  typeof error === "string" ? error : error[0];

/** The schema of its body, where the contract gives one. */
export const errorBody = (error: ErrorDeclaration): z.ZodType | undefined =>
  typeof error === "string" ? undefined : error[1];

/** How a list is read page by page. */
export interface Paging {
  readonly page: string;
  readonly size: string;
  /** Entries on a page when the caller does not say. */
  readonly defaultSize: number;
  /** The header that counts all entries, where the contract documents one; else a short page is the last. */
  readonly total?: string;
}

/** How a list inside an object is read page by page: each page links to the next one. Only for operations that GET. */
export interface LinkedPages {
  /** Where a page has its entries: paths to one or more lists, such as `transactions.booked`. */
  readonly entries: readonly string[];
  /** Where a page has the link to the next, an object with `href`; the last one has none. */
  readonly next: string;
}

/** A condition over several fields, or over a field and the clock. Data, so that help and tools can say it too. */
export type Rule = { readonly description: string } & (
  | { readonly kind: "exactly-one"; readonly fields: readonly string[] }
  | { readonly kind: "ordered"; readonly fields: readonly [earlier: string, later: string] }
  | { readonly kind: "not-future"; readonly fields: readonly [string] }
  | {
      /** None of the fields makes sense while the other has one of the values. */
      readonly kind: "excluded-by";
      readonly fields: readonly string[];
      readonly other: string;
      readonly values: readonly string[];
    }
  | {
      /** The fields are needed when the other has one of the values. */
      readonly kind: "needed-by";
      readonly fields: readonly string[];
      readonly other: string;
      readonly values: readonly string[];
    }
  | {
      /** The fields are needed unless another is given, or has one of the values. */
      readonly kind: "needed-unless";
      readonly fields: readonly string[];
      readonly unless: Readonly<Record<string, "given" | readonly string[]>>;
    }
);

/** The statuses of the errors for a customer id that is missing, or that the service does not know. */
export interface CustomerErrorStatuses {
  readonly missing: number;
  readonly unknown: number;
}

export interface Declaration {
  /** `section.method`, the same on every surface. */
  readonly name: string;
  /** The name of the MCP tool and, with dashes and a prefix, of the Node-RED node. */
  readonly tool: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** What a caller must know beyond the summary. */
  readonly notes?: string;
  readonly effect: Effect;
  readonly method: Method;
  /** Path with {parameters}, from the base address. */
  readonly path: string;
  /** One of the service's servers. */
  readonly server: string;
  /** The secrets and identities a call carries, of those that the service knows; a question mark where it can do without. */
  readonly credentials: readonly string[];
  readonly parameters?: Shape;
  readonly query?: Shape;
  readonly headers?: Shape;
  readonly body?: z.ZodObject;
  readonly document?: TextDocument;
  readonly rules?: readonly Rule[];
  readonly responses: Readonly<Record<number, ResponseDeclaration>>;
  readonly errors: Readonly<Record<number, ErrorDeclaration>>;
  /** Only where the contract documents other statuses for this operation than the service usually gives. */
  readonly customerErrorStatuses?: Partial<CustomerErrorStatuses>;
  readonly pages?: Paging;
  readonly linkedPages?: LinkedPages;
  /** Each call counts against a number of reads that was agreed on: what was read is better kept than read again. */
  readonly metered?: true;
  /**
   * The field of a JSON response that identifies what was done. A success that does not hold it proves nothing: text or a
   * number must be there, or any value where the field is neither.
   */
  readonly identifiedBy?: string;
  /** Name of the operation that shows whether a call was carried out: `trades.list` for `trades.book`. */
  readonly lookup?: string;
  /** The field of the input that can be used once. A 409 on it may stem from an earlier call with the same value. */
  readonly singleUse?: string;
  /** Where the contract describes it. */
  readonly contract: string;
}

export type Operation<D extends Declaration = Declaration> = Readonly<D>;

/** Every field a rule speaks of. */
export const fieldsOfRule = (rule: Rule): readonly string[] => [
  ...rule.fields,
  ...("other" in rule ? [rule.other] : []),
  ...("unless" in rule ? Object.keys(rule.unless) : []),
];

/**
 * Whether a path stays below the base address and means the same to whoever reads it: printable ASCII from a slash on, no
 * query, and no way up, written out or in escapes.
 */
const isPath = (path: string): boolean =>
  /^\/[!-~]*$/.test(path) && !/\/\/|\.\.|[\\?#]|%2e|%2f|%5c/i.test(path);

/** The fields of a shape that the caller fills. */
const byCaller = (shape: Shape): string[] =>
  Object.entries(shape).flatMap(([name, value]) => ("by" in value && value.by !== "caller" ? [] : [name]));

const jsonSchemas = ({ responses }: Declaration): z.ZodType[] =>
  Object.values(responses).flatMap((response) => (response.kind === "json" ? [response.schema] : []));

/** Why the declared `identifiedBy` or `singleUse` cannot be used: they name fields that do not exist. */
function missingProofFields(declaration: Declaration): string[] {
  const { identifiedBy, singleUse, parameters = {}, query = {}, headers = {}, body, document } = declaration;
  const given = [parameters, query, headers, body?.shape ?? {}].flatMap(byCaller);
  if (document) given.push(document.name);
  const identified =
    identifiedBy === undefined || jsonSchemas(declaration).some((schema) => propertyOf(schema, identifiedBy));
  return [
    ...(identified ? [] : [`no JSON response has a field ${identifiedBy}`]),
    ...(singleUse === undefined || given.includes(singleUse)
      ? []
      : [`the caller gives no field ${singleUse}`]),
  ];
}

/**
 * Declares an operation. Throws when the declaration contradicts itself: a path parameter without a schema, one name for
 * two fields, a rule, paging or proof over a field that does not exist, pages of an operation that does more than read.
 */
export function operation<const D extends Declaration>(declaration: D): Operation<D> {
  const {
    name,
    path,
    parameters = {},
    query = {},
    headers = {},
    body,
    document,
    rules = [],
    pages,
    linkedPages,
    effect,
    method,
    responses,
  } = declaration;
  const fail = (violation: string): never => {
    throw new TypeError(`${name}: ${violation}`);
  };
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, key]) => key!);
  const known = [
    ...Object.keys(parameters),
    ...Object.keys(query),
    ...Object.keys(headers),
    ...Object.keys(body?.shape ?? {}),
    ...(document ? [document.name] : []),
  ];
  if (!/^[a-zA-Z]+\.[a-zA-Z0-9]+$/.test(name)) fail("a name reads section.method");
  if (!isPath(path))
    fail("a path begins with one slash and holds no way out of it, no query and no white space");
  for (const key of inPath) if (!(key in parameters)) fail(`path parameter ${key} has no schema`);
  for (const key of Object.keys(parameters)) if (!inPath.includes(key)) fail(`${key} is not in the path`);
  const twice = known.find((key, index) => known.indexOf(key) !== index);
  if (twice !== undefined) fail(`two fields are called ${twice}`);
  const referred = [
    ...rules.flatMap(fieldsOfRule),
    ...(pages ? [pages.page, pages.size] : []),
    ...(document?.form?.fields ?? []),
    ...Object.values(responses).flatMap((response) => ("asText" in response ? [response.asText.field] : [])),
  ];
  for (const key of referred) if (!known.includes(key)) fail(`there is no field ${key}`);
  for (const violation of missingProofFields(declaration)) fail(violation);
  // Reading all pages repeats the call: it must not change anything.
  if ((pages || linkedPages) && effect !== "read")
    fail(`only an operation whose effect is read has pages; the effect is ${effect}`);
  if (linkedPages && (pages || method !== "GET"))
    fail("linked pages are those of a GET without numbered ones");
  return Object.freeze(declaration);
}

/** How the operations of a section are declared: what they share is written once. */
export const section =
  <const S extends Partial<Declaration>>(shared: S) =>
  <const D extends Omit<Declaration, keyof S>>(declaration: D): Readonly<S & D> =>
    operation({ ...shared, ...declaration } as unknown as Declaration) as unknown as Readonly<S & D>;

/** Whether an operation may respond so. */
export const mayRespondWith = ({ responses }: Declaration, kind: ResponseDeclaration["kind"]): boolean =>
  Object.values(responses).some((response) => response.kind === kind);
