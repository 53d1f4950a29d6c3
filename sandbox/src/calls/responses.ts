/** Building blocks of responses: content negotiation, pages and examples. */
import type { Declaration, ResponseDeclaration } from "@fxdesk/toolkit/operations";
import type { Call, Result } from "./behaviour";
import { type HttpRequest, jsonMediaType, negotiateMediaType } from "../http/http";
import { HttpError } from "../http/http-error";
import { isRequired, kindOf, optionsOf, unwrap } from "@fxdesk/toolkit/schema";
import type { z } from "zod";
import type { StoredFile } from "../world/model/outbox";

/** Returns the media type that the client prefers. Throws if it accepts none. */
export function negotiateResponseType<T extends string>(
  { request }: { readonly request: Pick<HttpRequest, "headers"> },
  types: readonly T[],
): T {
  const type = negotiateMediaType(request, types);
  if (type === undefined)
    throw new HttpError(
      406,
      "REQUESTED_FORMATS_INVALID",
      `The response is available as ${types.join(" or ")}.`,
    );
  return type;
}

/** Returns all media types of an operation's responses; empty if they have no body. */
const responseTypesOf = ({ responses }: Declaration): string[] =>
  Object.values(responses).flatMap((response) =>
    response.kind === "json" ? [jsonMediaType, ...(response.asText?.mediaTypes ?? [])] : [],
  );

/**
 * Throws before any change if the client accepts none of the operation's media types. Operations that do not document
 * 406 respond anyway.
 */
export function assertAcceptable(call: Pick<Call, "operation" | "request">): void {
  const types = responseTypesOf(call.operation);
  if (406 in call.operation.errors && types.length > 0) negotiateResponseType(call, types);
}

const countHeader = "x-total-count";

/** Returns the requested page, with the total count if the contract documents it or the settings enable it. */
export function toPageResponse<T, View>(
  { operation, values, world }: Call,
  items: readonly T[],
  view: (item: T) => View,
) {
  const { page, size, defaultSize, total } = operation.pages!;
  const length = Number(values[size] ?? defaultSize);
  const start = (Number(values[page] ?? 1) - 1) * length;
  const totalHeader = total ?? (world.settings.totalCount ? countHeader : undefined);
  const headers: Record<string, string> =
    totalHeader === undefined ? {} : { [totalHeader]: String(items.length) };
  return { status: 200, body: items.slice(start, start + length).map(view), headers } as const;
}

/** Candidate strings. The first that satisfies the schema is used. */
const candidateTexts = [
  "example",
  "2026-01-30",
  "2026-01-30T09:30:00Z",
  "00000000-0000-4000-8000-000000000000",
  "https://example.invalid/",
  "EUR",
  "1.00",
];

/** Returns the known values of an extensible enumeration. */
export const extensibleEnumValues = (schema: z.ZodType) =>
  schema.meta()?.["x-extensible-enum"] as string[] | undefined;

function exampleText(schema: z.ZodType): string | undefined {
  const choices = optionsOf(schema) ?? extensibleEnumValues(unwrap(schema)) ?? candidateTexts;
  return choices.find((text) => schema.safeParse(text).success);
}

/** Fills in the required fields only. */
function exampleObject(schema: z.ZodType): object {
  const { shape = {} } = unwrap(schema) as Partial<z.ZodObject>;
  const required = Object.entries(shape as z.ZodRawShape).filter(([, field]) =>
    isRequired(field as z.ZodType),
  );
  return Object.fromEntries(required.map(([name, field]) => [name, minimalValue(field as z.ZodType)]));
}

function minimalValue(schema: z.ZodType): unknown {
  switch (kindOf(schema)) {
    case "object":
      return exampleObject(schema);
    case "array":
      return [];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return false;
    case "string":
    case "unknown":
      return exampleText(schema);
  }
}

const exampleFile: StoredFile = {
  contentType: "text/plain; charset=utf-8",
  fileName: "example.txt",
  bytes: Buffer.from("example"),
};

function exampleOf(response: ResponseDeclaration): unknown {
  switch (response.kind) {
    case "json":
      return minimalValue(response.schema);
    case "file":
      return exampleFile;
    case "empty":
      return undefined;
    case "text":
    case "html":
      return "example";
  }
}

/** Returns an example of the documented response with a status. A list in it is empty, and its total is 0. */
export function exampleResult({ responses, pages }: Declaration, status: number): Result {
  const headers = pages?.total === undefined ? {} : { [pages.total]: "0" };
  return { status, body: exampleOf(responses[status]!), headers };
}
