/** Search words of nodes: keywords, and the contract's names of fields, properties and values. */
import { controlsOf } from "./controls";
import { describeOperation } from "../../core/spec/describe-operation";
import { callerFields } from "../../core/spec/fields";
import { type JsonSchema, responseJsonSchema } from "../../core/spec/json-schema";
import type { Callable } from "../../core/spec/operation";
import { literal } from "./editor-code";

/** Returns the property names and enum values of a schema, recursively. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, enum: listed } = schema as JsonSchema;
  const own = [...Object.keys(properties ?? {}), ...(Array.isArray(listed) ? listed.map(String) : [])];
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}

/** Returns the search words of an operation, without the names and options of its form fields. */
export function searchWordsOf(operation: Callable): string {
  const known = new Set(
    controlsOf(describeOperation(operation)).flatMap(({ name, options = [] }) => [name, ...options]),
  );
  const inputWords = callerFields(operation).flatMap(({ schema }) => namesIn(responseJsonSchema(schema)));
  const outputWords = Object.values(operation.responses).flatMap((response) =>
    "schema" in response ? namesIn(responseJsonSchema(response.schema)) : [],
  );
  const keywords = (operation.keywords ?? []).flatMap((keyword) => keyword.toLowerCase().split(" "));
  const named = [...inputWords, ...outputWords].filter((word) => /[a-z]{3}/i.test(word));
  const words = new Set([...keywords, ...named]);
  return [...words].filter((word) => !known.has(word)).join(" ");
}

/** Returns words of several nodes, most frequent first. The editor script contains each of them once. */
export function sharedWords(all: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of all.flatMap((words) => words.split(" "))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const repeated = [...counts].filter(([, times]) => times > 1);
  return repeated.toSorted(([, one], [, other]) => other - one).map(([word]) => word);
}

/** Code with the shared words, and a function that joins some of them, by index, with a node's own words. */
export const sharedWordsCode = (shared: readonly string[]): string =>
  `const sharedWords = ${literal(shared.join(" "))}.split(" ");
const found = (own, ...places) => [own, ...places.map((place) => sharedWords[place])].join(" ");`;

/** Returns the search words of a node as code. */
export function wordsCode(words: string, shared: readonly string[]): string {
  const all = words.split(" ");
  const own = all.filter((word) => !shared.includes(word)).join(" ");
  const indexes = all.filter((word) => shared.includes(word)).map((word) => shared.indexOf(word));
  return `found(${[literal(own), ...indexes].join()})`;
}
