/** Minimal example bodies of documented responses, derived from their schemas. */
import type { Declaration, ResponseDeclaration } from "@fxdesk/toolkit/operations";
import { isRequired, kindOf, optionsOf, unwrap } from "@fxdesk/toolkit/schema";
import type { z } from "zod";
import type { Result } from "./behaviour";
import type { StoredFile } from "../world/model/outbox";

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
