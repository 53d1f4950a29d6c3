/**
 * The page of a declaration: everything there is to tell of it, gathered once. Help, documents, the texts of tools and
 * commands and the forms are rendered from it, so that all of them tell the same; none reads a declaration for its words.
 */
import { z } from "zod";
import { elementOf, type Kind, metaOf, optionsOf } from "../schema/kind";
import { type BodyDoc, describeBody, typeNameOf } from "./describe-body";
import { requiresKey } from "./idempotency-key";
import { type Field, fieldsOf, memoizePerOperation, type FieldLocation } from "./fields";
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
  isRequirementRule,
  type ResponseDeclaration,
  type Rule,
  lookupInstruction,
} from "./operation";
import { isProcedure } from "./procedure";
import { isWatch } from "./watch";
import { splitCredential } from "./service";

/** Whether a field must be given: always, where a rule says so, or never. */
export type FieldRequirement = "required" | "by rule" | "optional";

/** One field of an input. */
export interface FieldDoc {
  readonly name: string;
  /** For people: "Account ID". */
  readonly title: string;
  readonly description: string;
  readonly kind: Kind;
  /** As `typeNameOf` says it: `string`, `array of object`. */
  readonly type: string;
  /** How a text is written, such as `date`. */
  readonly format?: string;
  /** The values that are allowed, where they are listed: of the field, or of each entry where it is a list. */
  readonly options?: readonly string[];
  readonly requirement: FieldRequirement;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly filledBy: FilledBy;
  /** Where the request of an operation has it. */
  readonly location?: FieldLocation;
  /** How a list is written in a query: `a=1&a=2` or `a=1,2`. */
  readonly list?: Field["list"];
  readonly schema: z.ZodType;
}

/** The key by which a call that commits money is made once. */
export interface KeyDoc {
  /** Whether nothing is sent without one. */
  readonly isRequired: boolean;
  /** The field whose value it is where none is given. */
  readonly defaultField?: string;
}

/** What is done, and how often. */
export interface EffectDoc {
  readonly kind: Effect;
  /** What a call does, in a sentence. */
  readonly description: string;
  /** Whether a call is repeated, and what to do when its response is lost, in sentences. */
  readonly repetition: string;
  /** Of what commits money. */
  readonly key?: KeyDoc;
}

/** What the pages of all kinds of declarations have. */
export interface OperationDoc {
  /** `section.method`, the same on every surface. */
  readonly name: string;
  /** The name of the MCP tool. */
  readonly tool: string;
  readonly title: string;
  /** One sentence. */
  readonly summary: string;
  /** What a caller must know beyond the summary. */
  readonly notes?: string;
  readonly effect: EffectDoc;
  /** All fields of the input, whoever fills them. */
  readonly fields: readonly FieldDoc[];
  /** Conditions over several fields; `description` is a sentence. */
  readonly rules: readonly Rule[];
  /** How a list comes page by page, in a sentence. */
  readonly paging?: string;
  /** The list in the result that is the answer. */
  readonly resultList?: string;
  readonly responses: readonly ResponseDoc[];
  readonly errors: readonly ErrorDoc[];
  /** Where the contract describes it; empty where it does not. */
  readonly contract: string;
  /** The request of an operation. */
  readonly request?: RequestDoc;
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
export interface RequestDoc {
  readonly method: Method;
  /** Path with {parameters}, from the base address. */
  readonly path: string;
  /** The alternatives; none where there is no body. */
  readonly bodies: readonly RequestBody[];
  /** The secrets and identities it carries; the optional ones where the connection has them. */
  readonly credentials: readonly { readonly name: string; readonly optional: boolean }[];
}

/** A documented success. */
export interface ResponseDoc {
  readonly status: number;
  readonly description: string;
  readonly kind: ResponseDeclaration["kind"];
  /** What is in it, where it is JSON. */
  readonly body?: BodyDoc;
  /** When it comes as text instead. */
  readonly asText?: AsText;
  readonly headers: readonly {
    readonly name: string;
    readonly type: "string" | "integer";
    readonly description: string;
  }[];
}

/** A documented failure. */
export interface ErrorDoc {
  readonly status: number;
  readonly description: string;
  /** What is in it, where the contract gives it a body. */
  readonly body?: BodyDoc;
}

/** The page of an operation. */
export interface EndpointDoc extends OperationDoc {
  readonly request: RequestDoc;
}

const optionsIn = (schema: z.ZodType): readonly string[] | undefined => {
  const element = elementOf(schema);
  return optionsOf(schema) ?? (element && optionsOf(element));
};

function describeField(field: Field, ruleRequiredFields: ReadonlySet<string>): FieldDoc {
  const { name, title, description, kind, schema, filledBy, location, list, default: fallback } = field;
  const { format, examples } = metaOf(schema);
  const options = optionsIn(schema);
  return {
    name,
    title,
    description,
    kind,
    type: typeNameOf(schema),
    ...(format !== undefined && { format }),
    ...(options && { options }),
    requirement: field.required ? "required" : ruleRequiredFields.has(name) ? "by rule" : "optional",
    ...(fallback !== undefined && { default: fallback }),
    ...(examples?.[0] !== undefined && { example: examples[0] }),
    filledBy: filledBy,
    location,
    list,
    schema,
  };
}

function describeRepetition(operation: Callable): string {
  const { effect, singleUseField } = operation;
  if (effect === "read") return "Retried when the service is busy or briefly unreachable.";
  if (effect === "change") return "Sent once, never retried.";
  const sent = `Sent once, never retried: if the response is lost, ${lookupInstruction(operation)} whether it was carried out.`;
  return singleUseField === undefined ? sent : `${sent} Each ${singleUseField} can be used once.`;
}

const describeKey = (operation: Callable): KeyDoc => ({
  isRequired: requiresKey(operation),
  ...(operation.singleUseField !== undefined && { defaultField: operation.singleUseField }),
});

const describeEffect = (operation: Callable): EffectDoc => ({
  kind: operation.effect,
  description: effectDescriptions[operation.effect],
  repetition: describeRepetition(operation),
  ...(operation.effect === "money" && { key: describeKey(operation) }),
});

function describePaging({ pages, linkedPages }: Callable): string | undefined {
  if (linkedPages) return "The list is paged; each page links to the next.";
  if (!pages) return undefined;
  const { page, size, defaultSize } = pages;
  return `The list is paged: ${page} is the page number, ${size} the entries per page (default ${defaultSize}).`;
}

/** JSON, a document in its place, and a form of the document and some fields. */
function requestBodiesOf({ body, document }: Declaration): RequestBody[] {
  if (!body) return [];
  const asJson = { mediaType: "application/json", fields: Object.keys(body.shape), schema: body };
  if (!document) return [asJson];
  const { name, schema, mediaTypes, form } = document;
  const documents = mediaTypes.map((mediaType) => ({ mediaType, fields: [name], schema }));
  if (!form) return [asJson, ...documents];
  const formFields = z.object(Object.fromEntries(form.fields.map((field) => [field, body.shape[field]!])));
  const parts = z.object({ [form.documentPart]: z.nonoptional(schema), [form.fieldsPart]: formFields });
  const asForm = { mediaType: "multipart/form-data", fields: [name, ...form.fields], schema: parts };
  return [asJson, ...documents, asForm];
}

const describeResponses = ({ responses, pages, linkedPages }: Callable): ResponseDoc[] =>
  Object.entries(responses).map(([status, response]) => {
    const { kind, description, headers = {} } = response;
    return {
      status: Number(status),
      description,
      kind,
      ...(kind === "json" && { body: describeBody(response.schema, linkedPages?.entries) }),
      ...(kind === "json" && response.asText && { asText: response.asText }),
      headers: Object.entries(headers).map(([name, meaning]) => ({
        name,
        type: name === pages?.total ? "integer" : "string",
        description: meaning,
      })),
    };
  });

const describeErrors = ({ errors }: Callable): ErrorDoc[] =>
  Object.entries(errors).map(([status, error]) => {
    const body = errorBody(error);
    return {
      status: Number(status),
      description: errorDescription(error),
      ...(body && { body: describeBody(body) }),
    };
  });

const describeRequest = (operation: Declaration): RequestDoc => ({
  method: operation.method,
  path: operation.path,
  bodies: requestBodiesOf(operation),
  credentials: operation.credentials.map(splitCredential),
});

const describeCallable = memoizePerOperation((callable: Callable): OperationDoc => {
  const { name, tool, title, summary, notes, rules = [], contract } = callable;
  const ruleRequiredFields = new Set(rules.filter(isRequirementRule).flatMap(({ fields }) => fields));
  const paging = describePaging(callable);
  return {
    name,
    tool,
    title,
    summary,
    ...(notes !== undefined && { notes }),
    effect: describeEffect(callable),
    fields: fieldsOf(callable).map((field) => describeField(field, ruleRequiredFields)),
    rules,
    ...(paging !== undefined && { paging }),
    ...(callable.resultList !== undefined && { resultList: callable.resultList }),
    contract,
    responses: describeResponses(callable),
    errors: describeErrors(callable),
    ...(isProcedure(callable) || isWatch(callable)
      ? { uses: callable.uses }
      : { request: describeRequest(callable as Declaration) }),
  };
});

/** The page of an operation or a procedure. */
export const describeOperation = describeCallable as {
  (operation: Declaration): EndpointDoc;
  (callable: Callable): OperationDoc;
};

/** The fields that a person, a flow or code fills. */
export const callerFieldDocs = ({ fields }: OperationDoc): readonly FieldDoc[] =>
  fields.filter(({ filledBy }) => filledBy === "caller");

/** What a declaration does and what to know of it, in one paragraph. */
export const introduction = ({ summary, notes }: OperationDoc): string =>
  [summary, notes].filter(Boolean).join(" ");
