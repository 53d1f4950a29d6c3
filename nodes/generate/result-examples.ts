/** Results that the sandbox gave, for the help. test/docs/result-examples.test.ts records and checks them. */
import type { Callable } from "../../core/spec/operation";
import { isObject } from "../../core/values/json";
import examples from "./result-examples.json";

/** Marks fields and entries that an example omits. */
export const omitted = "…";

/** The help is in a narrow sidebar, which breaks longer lines again. */
const lineLength = 80;

/** Prints a result as JSON. Lists are short; objects that fit are on one line. */
export function printResult(value: unknown, indent = ""): string {
  if (value === omitted) return omitted;
  if (Array.isArray(value)) return `[${value.map((entry) => printResult(entry, indent)).join(", ")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const inner = `${indent}  `;
  const fields = Object.entries(value).map(([name, field]) =>
    name === omitted ? omitted : `${JSON.stringify(name)}: ${printResult(field, inner)}`,
  );
  const line = fields.join(", ");
  if (fields.length === 0) return "{}";
  if (!line.includes("\n") && inner.length + line.length <= lineLength) return `{ ${line} }`;
  return `{\n${fields.map((field) => inner + field).join(",\n")}\n${indent}}`;
}

/** Returns msg.payload after a call or for a change, shortened. Undefined if there is no example. */
export function resultExampleOf({ name }: Callable): string | undefined {
  const payload = (examples as Readonly<Record<string, unknown>>)[name];
  return payload === undefined ? undefined : printResult(payload);
}
