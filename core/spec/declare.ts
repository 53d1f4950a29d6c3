/** The functions with which operations are declared: parameters, responses, operations and sections. */
import type { z } from "zod";
import type {
  AsText,
  Declaration,
  ErrorDeclaration,
  GeneratedValue,
  Parameter,
  ResponseDeclaration,
  ResponseHeaders,
} from "./operation";
import { findContradictions } from "./validate-declaration";

/** Declares a parameter that the connection fills. `setting` defaults to the name of the parameter. */
export const byConnection = <S extends z.ZodType>(
  schema: S,
  setting?: string,
): Parameter<S, "connection"> => ({
  schema,
  by: "connection",
  ...(setting !== undefined && { setting }),
});

/** Declares a parameter that the connection fills, or fxdesk if the connection has no value. */
export const byConnectionOrGenerated = <S extends z.ZodType>(
  schema: S,
  generate: GeneratedValue,
): Parameter<S, "connection"> => ({
  schema,
  by: "connection",
  generate,
});

/**
 * Declares a parameter that code or a person may set, with the connection's setting as default. Models never see it.
 * Used for redirect and notification addresses.
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

/** Declares a parameter that fxdesk generates for each call, for example a request ID. */
export const byFxdesk = <S extends z.ZodType>(
  schema: S,
  generate: GeneratedValue,
): Parameter<S, "fxdesk"> => ({
  schema,
  by: "fxdesk",
  generate,
});

/** Declares an array parameter that is encoded with commas: `a=1,2`. */
export const commaSeparated = <S extends z.ZodType>(schema: S): Parameter<S, "caller"> => ({
  schema,
  by: "caller",
  list: "comma",
});

/** Declares a JSON response. */
export const json = <S extends z.ZodType>(schema: S, description: string, headers?: ResponseHeaders) => ({
  kind: "json" as const,
  description,
  schema,
  ...(headers && { headers }),
});
/** Adds a text form to a JSON response, for calls that select it with a field. */
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
 * Returns a function that declares errors with their usual descriptions: first those without a documented body, then
 * those with this one.
 */
export const errorsWith =
  <Status extends number>(meanings: Readonly<Record<Status, string>>, body: z.ZodType) =>
  (
    withoutBody: readonly Status[],
    withBody: readonly Status[] = [],
  ): Readonly<Record<number, ErrorDeclaration>> =>
    Object.fromEntries([
      ...withoutBody.map((status) => [status, meanings[status]]),
      ...withBody.map((status) => [status, [meanings[status], body]]),
    ]) as Record<number, ErrorDeclaration>;

/**
 * Declares an operation. Throws a TypeError with its name if the declaration contradicts itself, for example if a path
 * parameter has no schema, two fields share a name, or a rule names an unknown field.
 */
export function operation<const D extends Declaration>(declaration: D): Readonly<D> {
  const [contradiction] = findContradictions(declaration);
  if (contradiction !== undefined) throw new TypeError(`${declaration.name}: ${contradiction}`);
  return Object.freeze(declaration);
}

/** Returns a variant of `operation()` that fills in the properties that all operations of a section share. */
export const section =
  <const S extends Partial<Declaration>>(shared: S) =>
  <const D extends Omit<Declaration, keyof S>>(declaration: D): Readonly<S & D> =>
    operation({ ...shared, ...declaration } as unknown as Declaration) as unknown as Readonly<S & D>;
