/** Consistency checks of a declaration. */
import type { z } from "zod";
import { propertyOf } from "../values/kind";
import { callerFields, fieldsOf } from "./fields";
import { type Declaration, fieldsOfRule } from "./operation";

/**
 * True if the path cannot escape the base address: printable ASCII with a leading slash, without a query, dot
 * segments or escaped separators.
 */
const isPath = (path: string): boolean =>
  /^\/[!-~]*$/.test(path) && !/\/\/|\.\.|[\\?#]|%2e|%2f|%5c/i.test(path);

const jsonSchemas = ({ responses }: Declaration): z.ZodType[] =>
  Object.values(responses).flatMap((response) => (response.kind === "json" ? [response.schema] : []));

/** A sentence without a full stop, or false if there is no contradiction. */
type Check = string | false;

const isName = (name: string): boolean => /^[a-zA-Z]+\.[a-zA-Z0-9]+$/.test(name);

function pathChecks({ path, parameters = {} }: Declaration): Check[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, key]) => key!);
  return [
    !isPath(path) &&
      "the path must begin with one slash and must not contain dot segments, a query or spaces",
    ...inPath.map((key) => !(key in parameters) && `path parameter ${key} has no schema`),
    ...Object.keys(parameters).map((key) => !inPath.includes(key) && `parameter ${key} is not in the path`),
  ];
}

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

/** Returns the names in the declaration that must be fields of the caller. */
const referencedCallerFields = ({
  singleUseField,
  recovery,
  commits,
  generates = {},
}: Declaration): string[] => [
  ...(typeof commits === "object" ? [commits.account, commits.quote].flatMap((name) => name ?? []) : []),
  ...(singleUseField === undefined ? [] : [singleUseField]),
  ...(recovery?.kind === "listed" ? [recovery.reference] : []),
  ...Object.keys(generates),
];

function fieldChecks(declaration: Declaration): Check[] {
  const { identifiedBy, quotes, generates = {} } = declaration;
  const fields = fieldsOf(declaration);
  const names = fields.map(({ name }) => name);
  const given = new Set(callerFields(declaration).map(({ name }) => name));
  const schemas = jsonSchemas(declaration);
  const quoteFields = quotes
    ? [...Object.values(quotes.requestFields), ...Object.keys(quotes.fixedFields ?? {})]
    : [];
  return [
    ...names.map((key, index) => names.indexOf(key) !== index && `two fields have the name ${key}`),
    ...referencedFields(declaration).map((key) => !names.includes(key) && `there is no field ${key}`),
    identifiedBy !== undefined &&
      !schemas.some((schema) => propertyOf(schema, identifiedBy)) &&
      `identifiedBy: no JSON response has a field ${identifiedBy}`,
    ...referencedCallerFields(declaration).map(
      (name) => !given.has(name) && `there is no input field ${name}`,
    ),
    ...quoteFields.map((name) => !given.has(name) && `quotes: there is no input field ${name}`),
    ...fields.map(
      ({ name, required }) =>
        name in generates && required && `${name} is generated if omitted, so it must be optional`,
    ),
  ];
}

/** Recovery applies only to money operations. Reading all pages repeats the call, so only reads can be paged. */
function effectChecks(declaration: Declaration): Check[] {
  const { effect, method, recovery, lookup, identifiedBy, pages, linkedPages } = declaration;
  const isListed = recovery?.kind === "listed";
  return [
    recovery !== undefined && effect !== "money" && "recovery requires the effect money",
    isListed && lookup === undefined && "recovery by list requires a lookup",
    isListed && identifiedBy === undefined && "recovery by list requires identifiedBy",
    (pages ?? linkedPages) !== undefined &&
      effect !== "read" &&
      `paging requires the effect read, but the effect is ${effect}`,
    linkedPages !== undefined &&
      (method !== "GET" || pages !== undefined) &&
      "linkedPages requires a GET without numbered pages",
  ];
}

/** The response fields of `quotes` must exist. */
function quoteChecks({ quotes, responses }: Declaration): Check[] {
  if (!quotes) return [];
  const response = responses[quotes.status];
  if (response?.kind !== "json") return [`quotes: there is no JSON response ${quotes.status}`];
  return Object.values<string>({ ...quotes.responseFields }).map(
    (name) => !propertyOf(response.schema, name) && `quotes: the response has no field ${name}`,
  );
}

/** Returns the contradictions in a declaration, as sentences without a full stop; empty if there are none. */
export const findContradictions = (declaration: Declaration): string[] =>
  [
    !isName(declaration.name) && "the name must have the form section.method",
    ...pathChecks(declaration),
    ...fieldChecks(declaration),
    ...effectChecks(declaration),
    ...quoteChecks(declaration),
  ].filter((check) => check !== false);
