/** Whether a declaration contradicts itself. */
import type { z } from "zod";
import { isRequired, propertyOf } from "../schema/kind";
import { type Declaration, fieldsOfRule, type Shape } from "./operation";

/**
 * Whether a path stays below the base address and means the same to whoever reads it: printable ASCII from a slash on, no
 * query, and no way up, written out or in escapes.
 */
const isPath = (path: string): boolean =>
  /^\/[!-~]*$/.test(path) && !/\/\/|\.\.|[\\?#]|%2e|%2f|%5c/i.test(path);

/** The fields of a shape that the caller fills. */
const callerFieldNames = (shape: Shape): string[] =>
  Object.entries(shape).flatMap(([name, value]) => ("by" in value && value.by !== "caller" ? [] : [name]));

const jsonSchemas = ({ responses }: Declaration): z.ZodType[] =>
  Object.values(responses).flatMap((response) => (response.kind === "json" ? [response.schema] : []));

function allCallerFieldNames({
  parameters = {},
  query = {},
  headers = {},
  body,
  document,
}: Declaration): string[] {
  const given = [parameters, query, headers, body?.shape ?? {}].flatMap(callerFieldNames);
  return document ? [...given, document.name] : given;
}

/** The fields that only the caller can give, as parts of the declaration name them. */
const referencedCallerFields = ({ singleUseField, recovery, generates = {} }: Declaration): string[] => [
  ...(singleUseField === undefined ? [] : [singleUseField]),
  ...(recovery?.kind === "listed" ? [recovery.reference] : []),
  ...Object.keys(generates),
];

/** Why a part of the declaration cannot be used that names a field: there is no such field. */
function referenceContradictions(declaration: Declaration): string[] {
  const { identifiedBy } = declaration;
  const given = allCallerFieldNames(declaration);
  const missing = new Set(referencedCallerFields(declaration).filter((name) => !given.includes(name)));
  const identified =
    identifiedBy === undefined || jsonSchemas(declaration).some((schema) => propertyOf(schema, identifiedBy));
  return [
    ...(identified ? [] : [`no JSON response has a field ${identifiedBy}`]),
    ...[...missing].map((name) => `the caller gives no field ${name}`),
  ];
}

/** What is made for the caller must not be needed from him, and only what commits money is recovered. */
function recoveryContradictions(declaration: Declaration): string[] {
  const { effect, recovery, lookup, identifiedBy, generates = {} } = declaration;
  const requiredFields = [declaration.query ?? {}, declaration.headers ?? {}, declaration.body?.shape ?? {}]
    .flatMap((shape) => Object.entries(shape))
    .filter(([name, value]) => name in generates && isRequired("by" in value ? value.schema : value));
  const usesListedRecovery = recovery?.kind === "listed";
  return [
    ...requiredFields.map(([name]) => `${name} is made where it is left out, and it must not be`),
    ...(recovery && effect !== "money" ? ["only what commits money is recovered"] : []),
    ...(usesListedRecovery && lookup === undefined ? ["there is no lookup to find it in"] : []),
    ...(usesListedRecovery && identifiedBy === undefined ? ["nothing identifies what is found"] : []),
  ];
}

const nameContradictions = ({ name }: Declaration): string[] =>
  /^[a-zA-Z]+\.[a-zA-Z0-9]+$/.test(name) ? [] : ["a name reads section.method"];

function pathContradictions({ path, parameters = {} }: Declaration): string[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, key]) => key!);
  const declared = Object.keys(parameters);
  return [
    ...(isPath(path)
      ? []
      : ["a path begins with one slash and holds no way out of it, no query and no white space"]),
    ...inPath.filter((key) => !declared.includes(key)).map((key) => `path parameter ${key} has no schema`),
    ...declared.filter((key) => !inPath.includes(key)).map((key) => `${key} is not in the path`),
  ];
}

const fieldNames = ({ parameters, query, headers, body, document }: Declaration): string[] => [
  ...[parameters, query, headers, body?.shape].flatMap((shape) => Object.keys(shape ?? {})),
  ...(document ? [document.name] : []),
];

/** The fields that other parts of the declaration name. */
const referencedFields = ({
  rules = [],
  pages,
  document,
  responses,
  labelFields = [],
}: Declaration): string[] => [
  ...labelFields,
  ...rules.flatMap(fieldsOfRule),
  ...(pages ? [pages.page, pages.size] : []),
  ...(document?.form?.fields ?? []),
  ...Object.values(responses).flatMap((response) => ("asText" in response ? [response.asText.field] : [])),
];

function fieldContradictions(declaration: Declaration): string[] {
  const names = fieldNames(declaration);
  const duplicates = names.filter((key, index) => names.indexOf(key) !== index);
  const missing = referencedFields(declaration).filter((key) => !names.includes(key));
  return [
    ...duplicates.map((key) => `two fields are called ${key}`),
    ...missing.map((key) => `there is no field ${key}`),
  ];
}

/** Reading all pages repeats the call, so it must not change anything. */
function pageContradictions({ pages, linkedPages, effect, method }: Declaration): string[] {
  if (!pages && !linkedPages) return [];
  if (effect !== "read") return [`only an operation whose effect is read has pages; the effect is ${effect}`];
  const isLinkedGet = method === "GET" && !pages;
  return linkedPages && !isLinkedGet ? ["linked pages are those of a GET without numbered ones"] : [];
}

/** What quotes must be found where it is said to be. */
function quoteContradictions(declaration: Declaration): string[] {
  const { quotes, responses } = declaration;
  if (!quotes) return [];
  const given = allCallerFieldNames(declaration);
  const response = responses[quotes.status];
  const requestFields = [...Object.values(quotes.requestFields), ...Object.keys(quotes.fixedFields ?? {})];
  const responseFields = Object.values(quotes.responseFields) as string[];
  return [
    ...requestFields
      .filter((name) => !given.includes(name))
      .map((name) => `quotes: the caller gives no field ${name}`),
    ...(response?.kind === "json"
      ? responseFields
          .filter((name) => !propertyOf(response.schema, name))
          .map((name) => `quotes: the response has no field ${name}`)
      : [`quotes: there is no JSON response ${quotes.status}`]),
  ];
}

/** What contradicts itself in a declaration, in sentences without their full stop; nothing when it is sound. */
export const findContradictions = (declaration: Declaration): string[] => [
  ...nameContradictions(declaration),
  ...pathContradictions(declaration),
  ...fieldContradictions(declaration),
  ...referenceContradictions(declaration),
  ...recoveryContradictions(declaration),
  ...pageContradictions(declaration),
  ...quoteContradictions(declaration),
];
