/** Search words of a node beside its title: its keywords, and the contract's own names of what it takes and returns. */
import { controlsOf } from "./controls";
import { describeOperation } from "../../core/declaration/describe-operation";
import { callerFields } from "../../core/declaration/fields";
import { type JsonSchema, responseJsonSchema } from "../../core/declaration/json-schema";
import type { Callable } from "../../core/declaration/operation";
import { literal } from "./markup";

/** The properties and the listed values of a schema, those of the schemas in it included. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties, enum: listed } = schema as JsonSchema;
  const own = [...Object.keys(properties ?? {}), ...(Array.isArray(listed) ? listed.map(String) : [])];
  return [...own, ...Object.values(schema).flatMap(namesIn)];
}

/** Beside the names and options of its fields, which the form has. */
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

/** The words that several nodes are found by, those of most first: the editor's script says each of them once. */
export function sharedWords(all: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const word of all.flatMap((words) => words.split(" "))) counts.set(word, (counts.get(word) ?? 0) + 1);
  const repeated = [...counts].filter(([, times]) => times > 1);
  return repeated.toSorted(([, one], [, other]) => other - one).map(([word]) => word);
}

/** The part of the script that has them, and joins some of them, by their places, with those of a node alone. */
export const sharedWordsCode = (shared: readonly string[]): string =>
  `const sharedWords = ${literal(shared.join(" "))}.split(" ");
const found = (own, ...places) => [own, ...places.map((place) => sharedWords[place])].join(" ");`;

/** The words of a node, as code. */
export function wordsCode(words: string, shared: readonly string[]): string {
  const all = words.split(" ");
  const own = all.filter((word) => !shared.includes(word)).join(" ");
  const indexes = all.filter((word) => shared.includes(word)).map((word) => shared.indexOf(word));
  return `found(${[literal(own), ...indexes].join()})`;
}
