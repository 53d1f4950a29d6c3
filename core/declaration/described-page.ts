/**
 * The page of a declaration: everything there is to tell of it, gathered once. Help, documents, the texts of tools and
 * commands and the forms are rendered from it, so that all of them tell the same; none reads a declaration for its words.
 */
import { z } from "zod";
import { elementOf, type Kind, metaOf, optionsOf } from "../schema/kind";
import { type DescribedBody, describedBody, typeName } from "./described-body";
import { needsKey } from "./key";
import { type Field, fieldsOf, perOperation, type Place } from "./fields";
import {
  type AsText,
  type Callable,
  type Declaration,
  type Effect,
  effectDescriptions,
  errorBody,
  errorDescription,
  type FilledBy,
  type Method,
  requires,
  type ResponseDeclaration,
  type Rule,
  whereToLook,
} from "./operation";
import { isProcedure } from "./procedure";
import { isWatch } from "./watch";
import { splitCredential } from "./service";

/** Whether a field must be given: always, where a rule says so, or never. */
export type Need = "required" | "by rule" | "optional";

/** One field of an input. */
export interface DescribedField {
  readonly name: string;
  /** For people: "Account ID". */
  readonly title: string;
  readonly description: string;
  readonly kind: Kind;
  /** As `typeName` says it: `string`, `array of object`. */
  readonly type: string;
  /** How a text is written, such as `date`. */
  readonly format?: string;
  /** The values that are allowed, where they are listed: of the field, or of each entry where it is a list. */
  readonly options?: readonly string[];
  readonly need: Need;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly filledBy: FilledBy;
  /** Where the request of an operation has it. */
  readonly place?: Place;
  /** How a list is written in a query: `a=1&a=2` or `a=1,2`. */
  readonly list?: Field["list"];
  readonly schema: z.ZodType;
}

/** The key by which a call that commits money is made once. */
export interface DescribedKey {
  /** Whether nothing is sent without one. */
  readonly needed: boolean;
  /** The field whose value it is where none is given. */
  readonly usual?: string;
}

/** What is done, and how often. */
export interface DescribedEffect {
  readonly kind: Effect;
  /** What a call does, in a sentence. */
  readonly description: string;
  /** Whether a call is repeated, and what to do when its response is lost, in sentences. */
  readonly repetition: string;
  /** Of what commits money. */
  readonly key?: DescribedKey;
}

/** What the pages of all kinds of declarations have. */
export interface DescribedPage {
  /** `section.method`, the same on every surface. */
  readonly name: string;
  /** The name of the MCP tool. */
  readonly tool: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** What a caller must know beyond the summary. */
  readonly notes?: string;
  readonly effect: DescribedEffect;
  /** All fields of the input, whoever fills them. */
  readonly fields: readonly DescribedField[];
  /** Conditions over several fields; `description` is a sentence. */
  readonly rules: readonly Rule[];
  /** How a list comes page by page, in a sentence. */
  readonly paging?: string;
  /** The list in the result that is the answer. */
  readonly rows?: string;
  readonly responses: readonly DescribedResponse[];
  readonly errors: readonly DescribedError[];
  /** Where the contract describes it; empty where it does not. */
  readonly contract: string;
  /** The request of an operation. */
  readonly request?: DescribedRequest;
  /** The operations that a procedure uses, by name. */
  readonly uses?: readonly string[];
}

/** A way to write the body of a request: the fields that are in it, and what they make. */
export interface RequestBody {
  readonly mediaType: string;
  readonly fields: readonly string[];
  readonly schema: z.ZodType;
}

/** What a call of the service needs beside its fields. */
export interface DescribedRequest {
  readonly method: Method;
  /** Path with {parameters}, from the base address. */
  readonly path: string;
  /** The alternatives; none where there is no body. */
  readonly bodies: readonly RequestBody[];
  /** The secrets and identities it carries; the optional ones where the connection has them. */
  readonly credentials: readonly { readonly name: string; readonly optional: boolean }[];
}

/** A documented success. */
export interface DescribedResponse {
  readonly status: number;
  readonly description: string;
  readonly kind: ResponseDeclaration["kind"];
  /** What is in it, where it is JSON. */
  readonly body?: DescribedBody;
  /** When it comes as text instead. */
  readonly asText?: AsText;
  readonly headers: readonly {
    readonly name: string;
    readonly type: "string" | "integer";
    readonly description: string;
  }[];
}

/** A documented failure. */
export interface DescribedError {
  readonly status: number;
  readonly description: string;
  /** What is in it, where the contract gives it a body. */
  readonly body?: DescribedBody;
}

/** The page of an operation. */
export interface OperationPage extends DescribedPage {
  readonly request: DescribedRequest;
}

const optionsIn = (schema: z.ZodType): readonly string[] | undefined => {
  const element = elementOf(schema);
  return optionsOf(schema) ?? (element && optionsOf(element));
};

function describedField(field: Field, ruled: ReadonlySet<string>): DescribedField {
  const { name, title, description, kind, schema, by, place, list, default: fallback } = field;
  const { format, examples } = metaOf(schema);
  const options = optionsIn(schema);
  return {
    name,
    title,
    description,
    kind,
    type: typeName(schema),
    ...(format !== undefined && { format }),
    ...(options && { options }),
    need: field.required ? "required" : ruled.has(name) ? "by rule" : "optional",
    ...(fallback !== undefined && { default: fallback }),
    ...(examples?.[0] !== undefined && { example: examples[0] }),
    filledBy: by,
    place,
    list,
    schema,
  };
}

function repetitionOf(operation: Callable): string {
  const { effect, singleUse } = operation;
  if (effect === "read") return "Retried when the service is busy or briefly unreachable.";
  if (effect === "change") return "Sent once, never retried.";
  const sent = `Sent once, never retried: if the response is lost, ${whereToLook(operation)} whether it was carried out.`;
  return singleUse === undefined ? sent : `${sent} Each ${singleUse} can be used once.`;
}

const keyOf = (operation: Callable): DescribedKey => ({
  needed: needsKey(operation),
  ...(operation.singleUse !== undefined && { usual: operation.singleUse }),
});

const describedEffect = (operation: Callable): DescribedEffect => ({
  kind: operation.effect,
  description: effectDescriptions[operation.effect],
  repetition: repetitionOf(operation),
  ...(operation.effect === "money" && { key: keyOf(operation) }),
});

function pagingOf({ pages, linkedPages }: Callable): string | undefined {
  if (linkedPages) return "The list is paged; each page links to the next.";
  if (!pages) return undefined;
  const { page, size, defaultSize } = pages;
  return `The list is paged: ${page} is the page number, ${size} the entries per page (default ${defaultSize}).`;
}

/** JSON, a document in its place, and a form of the document and some fields. */
function bodiesOf({ body, document }: Declaration): RequestBody[] {
  if (!body) return [];
  const asJson = { mediaType: "application/json", fields: Object.keys(body.shape), schema: body };
  if (!document) return [asJson];
  const { name, schema, mediaTypes, form } = document;
  const documents = mediaTypes.map((mediaType) => ({ mediaType, fields: [name], schema }));
  if (!form) return [asJson, ...documents];
  const beside = z.object(Object.fromEntries(form.fields.map((field) => [field, body.shape[field]!])));
  const parts = z.object({ [form.documentPart]: z.nonoptional(schema), [form.fieldsPart]: beside });
  const asForm = { mediaType: "multipart/form-data", fields: [name, ...form.fields], schema: parts };
  return [asJson, ...documents, asForm];
}

const describedResponses = ({ responses, pages, linkedPages }: Callable): DescribedResponse[] =>
  Object.entries(responses).map(([status, response]) => {
    const { kind, description, headers = {} } = response;
    return {
      status: Number(status),
      description,
      kind,
      ...(kind === "json" && { body: describedBody(response.schema, linkedPages?.entries) }),
      ...(kind === "json" && response.asText && { asText: response.asText }),
      headers: Object.entries(headers).map(([name, meaning]) => ({
        name,
        type: name === pages?.total ? "integer" : "string",
        description: meaning,
      })),
    };
  });

const describedErrors = ({ errors }: Callable): DescribedError[] =>
  Object.entries(errors).map(([status, error]) => {
    const body = errorBody(error);
    return {
      status: Number(status),
      description: errorDescription(error),
      ...(body && { body: describedBody(body) }),
    };
  });

const requestOf = (operation: Declaration): DescribedRequest => ({
  method: operation.method,
  path: operation.path,
  bodies: bodiesOf(operation),
  credentials: operation.credentials.map(splitCredential),
});

const page = perOperation((callable: Callable): DescribedPage => {
  const { name, tool, title, summary, notes, rules = [], contract } = callable;
  const ruled = new Set(rules.filter(requires).flatMap(({ fields }) => fields));
  const paging = pagingOf(callable);
  return {
    name,
    tool,
    title,
    summary,
    ...(notes !== undefined && { notes }),
    effect: describedEffect(callable),
    fields: fieldsOf(callable).map((field) => describedField(field, ruled)),
    rules,
    ...(paging !== undefined && { paging }),
    ...(callable.rows !== undefined && { rows: callable.rows }),
    contract,
    responses: describedResponses(callable),
    errors: describedErrors(callable),
    ...(isProcedure(callable) || isWatch(callable)
      ? { uses: callable.uses }
      : { request: requestOf(callable as Declaration) }),
  };
});

/** The page of an operation or a procedure. */
export const pageOf = page as {
  (operation: Declaration): OperationPage;
  (callable: Callable): DescribedPage;
};

/** The fields that a person, a flow or code fills. */
export const inputFields = ({ fields }: DescribedPage): readonly DescribedField[] =>
  fields.filter(({ filledBy }) => filledBy === "caller");

/** What a declaration does and what to know of it, in one paragraph. */
export const introduction = ({ summary, notes }: DescribedPage): string =>
  [summary, notes].filter(Boolean).join(" ");
