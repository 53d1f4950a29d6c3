/** A smallest body for a documented answer, made from its schema. */
import type { Answer } from "@fxdesk/toolkit/operations";
import { z } from "zod";
import type { StoredFile } from "./behaviour";

const texts: Readonly<Record<string, string>> = {
  date: "2026-01-30",
  uuid: "00000000-0000-4000-8000-000000000000",
  uri: "https://example.invalid/",
  "date-time": "2026-01-30T09:30:00Z",
};

function smallest(schema: z.core.JSONSchema.BaseSchema): unknown {
  const { type, format, properties = {}, required = [], examples, anyOf } = schema;
  const [example] = examples ?? schema.enum ?? (schema["x-extensible-enum"] as string[] | undefined) ?? [];
  if (example !== undefined) return example;
  const [first] = anyOf ?? [];
  if (typeof first === "object") return smallest(first);
  switch (type) {
    case "object":
      return Object.fromEntries(required.map((name) => [name, smallest(properties[name] as typeof schema)]));
    case "array":
      return [];
    case "boolean":
      return false;
    case "number":
    case "integer":
      return Math.max(0, schema.minimum ?? 0);
    case "null":
      return null;
    default:
      return texts[format ?? ""] ?? "example";
  }
}

const emptyFile: StoredFile = {
  contentType: "text/plain; charset=utf-8",
  fileName: "example.txt",
  bytes: Buffer.from("example"),
};

export function exampleOf(answer: Answer): unknown {
  switch (answer.kind) {
    case "json":
      return smallest(
        z.toJSONSchema(answer.schema, { io: "output", reused: "inline", unrepresentable: "any" }),
      );
    case "file":
      return emptyFile;
    case "empty":
      return undefined;
    case "text":
    case "html":
      return "example";
  }
}
