/**
 * The description of a declaration as plain data. Help, documents, tool texts, commands and forms are rendered from
 * it and do not read texts from the declaration, so that all surfaces agree.
 */
import { z } from "zod";
import { elementOf, metaOf, optionsOf } from "../values/kind";
import { type BodyDoc, describeBody, typeNameOf } from "./describe-body";
import { requiresKey } from "./check";
import { type Field, fieldsOf, memoizePerOperation } from "./fields";
import {
  type AsText,
  type Callable,
  type Declaration,
  type Effect,
  effectDescriptions,
  errorBody,
  errorDescription,
  isRequirementRule,
  type ResponseDeclaration,
  type Rule,
  lookupInstruction,
} from "./operation";
import { isProcedure } from "./procedure";
import { isWatch } from "./watch";
import { splitCredential } from "./service";

/** The requirement of a field: always, depending on a rule, or never. */
type FieldRequirement = "required" | "by rule" | "optional";

/** A field of the input. Its options are those of the field, or of each entry of a list. */
export interface FieldDoc extends Field {
  /** Result of `typeNameOf`, for example `string` or `array of object`. */
  readonly type: string;
  /** Format of a string, for example `date`. */
  readonly format?: string;
  readonly requirement: FieldRequirement;
  readonly example?: unknown;
}

/** The idempotency key of a money call. */
export interface KeyDoc {
  /** True if a call without a key is refused. */
  readonly isRequired: boolean;
  /** Field whose value is the default key. */
  readonly defaultField?: string;
}

/** The effect of a call and its repetition. */
export interface EffectDoc {
  readonly kind: Effect;
  /** One sentence. */
  readonly description: string;
  /** Retry behaviour, and the advice if the response is lost. */
  readonly repetition: string;
  /** Only for money calls. */
  readonly key?: KeyDoc;
}

/** The description of an operation, procedure or watch. */
export interface OperationDoc extends Pick<
  Callable,
  "name" | "tool" | "title" | "summary" | "notes" | "resultList" | "contract"
> {
  readonly effect: EffectDoc;
  /** All fields, including those that the connection or fxdesk fills. */
  readonly fields: readonly FieldDoc[];
  /** Conditions over several fields. Each `description` is a sentence. */
  readonly rules: readonly Rule[];
  /** One sentence on paging, if the result is a paged list. */
  readonly paging?: string;
  readonly responses: readonly ResponseDoc[];
  readonly errors: readonly ErrorDoc[];
  /** Only for operations. */
  readonly request?: RequestDoc;
  /** Names of the operations that a procedure or watch uses. */
  readonly uses?: readonly string[];
}

/** One encoding of the request body, with its fields and its schema. */
export interface RequestBody {
  readonly mediaType: string;
  readonly fields: readonly string[];
  readonly schema: z.ZodType;
}

/** The HTTP request of an operation. */
export interface RequestDoc extends Pick<Declaration, "method" | "path"> {
  /** Alternative encodings; empty if there is no body. */
  readonly bodies: readonly RequestBody[];
  /** Credentials in the request. Optional ones are sent if the connection has them. */
  readonly credentials: readonly { readonly name: string; readonly optional: boolean }[];
}

/** A documented success. */
export interface ResponseDoc {
  readonly status: number;
  readonly description: string;
  readonly kind: ResponseDeclaration["kind"];
  /** Only for JSON responses. */
  readonly body?: BodyDoc;
  /** Text form of a JSON response, and the field that selects it. */
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
  /** Only if the contract documents a body. */
  readonly body?: BodyDoc;
}

/** The description of an operation. */
export interface EndpointDoc extends OperationDoc {
  readonly request: RequestDoc;
}

function describeField(field: Field, ruleRequiredFields: ReadonlySet<string>): FieldDoc {
  const { name, schema, required } = field;
  const { format, examples } = metaOf(schema);
  const element = elementOf(schema);
  const options = field.options ?? (element && optionsOf(element));
  return {
    ...field,
    type: typeNameOf(schema),
    ...(format !== undefined && { format }),
    ...(options && { options }),
    requirement: required ? "required" : ruleRequiredFields.has(name) ? "by rule" : "optional",
    ...(examples?.[0] !== undefined && { example: examples[0] }),
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

/** Returns the possible bodies: JSON, a document, or a form with both. */
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

/** Describes an operation, procedure or watch. */
export const describeOperation = describeCallable as {
  (operation: Declaration): EndpointDoc;
  (callable: Callable): OperationDoc;
};

/** Returns the fields that a person, a flow or code fills. */
export const callerFieldDocs = ({ fields }: OperationDoc): readonly FieldDoc[] =>
  fields.filter(({ filledBy }) => filledBy === "caller");

/** Returns the summary and the notes as one paragraph. */
export const introduction = ({ summary, notes }: OperationDoc): string =>
  [summary, notes].filter(Boolean).join(" ");
