/** What an operation of the service is: data from which every surface derives. */
import type { z } from "zod";
import { propertyOf } from "../schema/kind";

/**
 * What a call does. `read` changes nothing; `change` changes or asks for something; `money` commits or moves money, or
 * changes who may approve it.
 */
export type Effect = "read" | "change" | "money";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/** Who gives a parameter its value. Only the caller's appear on a form, a tool or the command line. */
export type Filler = "caller" | "connection" | "fxdesk";

/** What fxdesk can make by itself: a new UUID for each call, or this machine's own address. */
export type Maker = "uuid" | "local-address";

/** A parameter of which there is more to say than its schema. A bare schema is a parameter the caller fills. */
export interface Parameter<S extends z.ZodType = z.ZodType, By extends Filler = Filler> {
  readonly schema: S;
  readonly by: By;
  /** The connection's name for the value; by default the parameter's own. */
  readonly setting?: string;
  /** How fxdesk makes the value where nobody gives one. */
  readonly make?: Maker;
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
export const byConnectionOrMade = <S extends z.ZodType>(
  schema: S,
  make: Maker,
): Parameter<S, "connection"> => ({
  schema,
  by: "connection",
  make,
});

/** Made by fxdesk for each call, such as a request id. */
export const byFxdesk = <S extends z.ZodType>(schema: S, make: Maker): Parameter<S, "fxdesk"> => ({
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

/** Media types in which an answer comes as text instead of JSON, and the values of a field that ask for that. */
export interface AsText {
  readonly mediaTypes: readonly string[];
  readonly field: string;
  readonly values: readonly string[];
}

/** What comes back with one status. */
export type Answer =
  | {
      readonly kind: "json";
      readonly says: string;
      readonly schema: z.ZodType;
      readonly headers?: AnswerHeaders;
      readonly asText?: AsText;
    }
  | {
      readonly kind: "text" | "html" | "file" | "empty";
      readonly says: string;
      readonly headers?: AnswerHeaders;
    };

/** Documented headers of an answer and what they mean. */
export type AnswerHeaders = Readonly<Record<string, string>>;

export const json = <S extends z.ZodType>(schema: S, says: string, headers?: AnswerHeaders) => ({
  kind: "json" as const,
  says,
  schema,
  ...(headers && { headers }),
});
/** The same answer, or text where a field asks for it. */
export const orText = <A extends Answer & { kind: "json" }, const T extends AsText>(
  answer: A,
  asText: T,
) => ({
  ...answer,
  asText,
});
export const text = (says: string) => ({ kind: "text" as const, says });
export const html = (says: string) => ({ kind: "html" as const, says });
export const file = (says: string) => ({ kind: "file" as const, says });
export const empty = (says: string, headers?: AnswerHeaders) => ({
  kind: "empty" as const,
  says,
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
export type Failure = string | readonly [says: string, body: z.ZodType];

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
export type Rule = { readonly says: string } & (
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

/** Which status says that the client of a call is missing or unknown. */
export interface ClientRefusals {
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
  readonly answers: Readonly<Record<number, Answer>>;
  readonly errors: Readonly<Record<number, Failure>>;
  /** Where the contract says another status than usual. */
  readonly clientRefusals?: Partial<ClientRefusals>;
  readonly pages?: Paging;
  readonly linkedPages?: LinkedPages;
  /**
   * The field of a JSON answer that identifies what was done. A success that does not hold it proves nothing: text or a
   * number must be there, or any value where the field is neither.
   */
  readonly identifiedBy?: string;
  /** Name of the operation that shows whether a call was carried out: `trades.list` for `trades.book`. */
  readonly lookup?: string;
  /** The field of the input that can be used once. A 409 on it may stem from an earlier call with the same value. */
  readonly spends?: string;
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

const jsonSchemas = ({ answers }: Declaration): z.ZodType[] =>
  Object.values(answers).flatMap((answer) => (answer.kind === "json" ? [answer.schema] : []));

/** What is wrong with what a declaration says of proving that a call was carried out. */
function problemsOfProof(declaration: Declaration): string[] {
  const { identifiedBy, spends, parameters = {}, query = {}, headers = {}, body, document } = declaration;
  const given = [parameters, query, headers, body?.shape ?? {}].flatMap(byCaller);
  if (document) given.push(document.name);
  const identified =
    identifiedBy === undefined || jsonSchemas(declaration).some((schema) => propertyOf(schema, identifiedBy));
  return [
    ...(identified ? [] : [`no JSON answer has a field ${identifiedBy}`]),
    ...(spends === undefined || given.includes(spends) ? [] : [`the caller gives no field ${spends}`]),
  ];
}

/**
 * Declares an operation. Throws when the declaration contradicts itself: a path parameter without a schema, one name for
 * two fields, a rule or paging over a field that does not exist, or a proof in one.
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
    method,
    answers,
  } = declaration;
  const fail = (problem: string): never => {
    throw new TypeError(`${name}: ${problem}`);
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
    ...Object.values(answers).flatMap((answer) => ("asText" in answer ? [answer.asText.field] : [])),
  ];
  for (const key of referred) if (!known.includes(key)) fail(`there is no field ${key}`);
  for (const problem of problemsOfProof(declaration)) fail(problem);
  if (linkedPages && (pages || method !== "GET"))
    fail("linked pages are those of a GET without numbered ones");
  return Object.freeze(declaration);
}

/** Whether an operation may answer so. */
export const answersWith = ({ answers }: Declaration, kind: Answer["kind"]): boolean =>
  Object.values(answers).some((answer) => answer.kind === kind);
