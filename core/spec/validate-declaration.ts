/** Consistency checks of a declaration. */
import type { z } from "zod";
import { isRequired, propertyOf } from "../values/kind";
import { type Declaration, fieldsOfRule, type Shape } from "./operation";

/**
 * True if the path cannot escape the base address: printable ASCII with a leading slash, without a query, dot
 * segments or escaped separators.
 */
const isPath = (path: string): boolean =>
  /^\/[!-~]*$/.test(path) && !/\/\/|\.\.|[\\?#]|%2e|%2f|%5c/i.test(path);

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

/** Returns the names in the declaration that must be fields of the caller. */
const referencedCallerFields = ({ singleUseField, recovery, generates = {} }: Declaration): string[] => [
  ...(singleUseField === undefined ? [] : [singleUseField]),
  ...(recovery?.kind === "listed" ? [recovery.reference] : []),
  ...Object.keys(generates),
];

function referenceContradictions(declaration: Declaration): string[] {
  const { identifiedBy } = declaration;
  const given = allCallerFieldNames(declaration);
  const missing = new Set(referencedCallerFields(declaration).filter((name) => !given.includes(name)));
  const identified =
    identifiedBy === undefined || jsonSchemas(declaration).some((schema) => propertyOf(schema, identifiedBy));
  return [
    ...(identified ? [] : [`identifiedBy: no JSON response has a field ${identifiedBy}`]),
    ...[...missing].map((name) => `there is no input field ${name}`),
  ];
}

/** Generated fields must be optional, and recovery applies only to money operations. */
function recoveryContradictions(declaration: Declaration): string[] {
  const { effect, recovery, lookup, identifiedBy, generates = {} } = declaration;
  const requiredFields = [declaration.query ?? {}, declaration.headers ?? {}, declaration.body?.shape ?? {}]
    .flatMap((shape) => Object.entries(shape))
    .filter(([name, value]) => name in generates && isRequired("by" in value ? value.schema : value));
  const usesListedRecovery = recovery?.kind === "listed";
  return [
    ...requiredFields.map(([name]) => `${name} is generated if omitted, so it must be optional`),
    ...(recovery && effect !== "money" ? ["recovery requires the effect money"] : []),
    ...(usesListedRecovery && lookup === undefined ? ["recovery by list requires a lookup"] : []),
    ...(usesListedRecovery && identifiedBy === undefined ? ["recovery by list requires identifiedBy"] : []),
  ];
}

const nameContradictions = ({ name }: Declaration): string[] =>
  /^[a-zA-Z]+\.[a-zA-Z0-9]+$/.test(name) ? [] : ["the name must have the form section.method"];

function pathContradictions({ path, parameters = {} }: Declaration): string[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, key]) => key!);
  const declared = Object.keys(parameters);
  return [
    ...(isPath(path)
      ? []
      : ["the path must begin with one slash and must not contain dot segments, a query or spaces"]),
    ...inPath.filter((key) => !declared.includes(key)).map((key) => `path parameter ${key} has no schema`),
    ...declared.filter((key) => !inPath.includes(key)).map((key) => `parameter ${key} is not in the path`),
  ];
}

const fieldNames = ({ parameters, query, headers, body, document }: Declaration): string[] => [
  ...[parameters, query, headers, body?.shape].flatMap((shape) => Object.keys(shape ?? {})),
  ...(document ? [document.name] : []),
];

/** Returns the names in the declaration that must be fields of the operation. */
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
    ...duplicates.map((key) => `two fields have the name ${key}`),
    ...missing.map((key) => `there is no field ${key}`),
  ];
}

/** Reading all pages repeats the call, so only reads can be paged. */
function pageContradictions({ pages, linkedPages, effect, method }: Declaration): string[] {
  if (!pages && !linkedPages) return [];
  if (effect !== "read") return [`paging requires the effect read, but the effect is ${effect}`];
  const isLinkedGet = method === "GET" && !pages;
  return linkedPages && !isLinkedGet ? ["linkedPages requires a GET without numbered pages"] : [];
}

/** The request and response fields of `quotes` must exist. */
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
      .map((name) => `quotes: there is no input field ${name}`),
    ...(response?.kind === "json"
      ? responseFields
          .filter((name) => !propertyOf(response.schema, name))
          .map((name) => `quotes: the response has no field ${name}`)
      : [`quotes: there is no JSON response ${quotes.status}`]),
  ];
}

/** Returns the contradictions in a declaration, as sentences without a full stop; empty if there are none. */
export const findContradictions = (declaration: Declaration): string[] => [
  ...nameContradictions(declaration),
  ...pathContradictions(declaration),
  ...fieldContradictions(declaration),
  ...referenceContradictions(declaration),
  ...recoveryContradictions(declaration),
  ...pageContradictions(declaration),
  ...quoteContradictions(declaration),
];
