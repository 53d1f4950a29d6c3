/** What operations are declared with: who fills a parameter, what a response is, and the operation itself. */
import type { z } from "zod";
import type {
  AsText,
  Declaration,
  GeneratedValue,
  Parameter,
  ResponseDeclaration,
  ResponseHeaders,
} from "./operation";
import { findContradictions } from "./validate-declaration";

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
  generate: GeneratedValue,
): Parameter<S, "connection"> => ({
  schema,
  by: "connection",
  generate,
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
export const byFxdesk = <S extends z.ZodType>(
  schema: S,
  generate: GeneratedValue,
): Parameter<S, "fxdesk"> => ({
  schema,
  by: "fxdesk",
  generate,
});

/** An array written with commas between its values. */
export const commaSeparated = <S extends z.ZodType>(schema: S): Parameter<S, "caller"> => ({
  schema,
  by: "caller",
  list: "comma",
});

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
 * Declares an operation. Throws a TypeError that names it when the declaration contradicts itself: a path parameter without
 * a schema, one name for two fields, a rule, paging or proof over a field that does not exist, pages of an operation that
 * does more than read.
 */
export function operation<const D extends Declaration>(declaration: D): Readonly<D> {
  const [contradiction] = findContradictions(declaration);
  if (contradiction !== undefined) throw new TypeError(`${declaration.name}: ${contradiction}`);
  return Object.freeze(declaration);
}

/** How the operations of a section are declared: what they share is written once. */
export const section =
  <const S extends Partial<Declaration>>(shared: S) =>
  <const D extends Omit<Declaration, keyof S>>(declaration: D): Readonly<S & D> =>
    operation({ ...shared, ...declaration } as unknown as Declaration) as unknown as Readonly<S & D>;
