/** Titles of options: the words that a form shows for `working_days` or `EveryTwoWeeks`. */
import type { z } from "zod";
import { titleFromName } from "../../core/spec/fields";
import { elementOf, kindOf, type Meta, metaOf, optionsOf, shapeOf, valueOf } from "../../core/values/kind";

/** Identifier of a format or standard, which stays as it is: `text/plain`, `camt.053.001.08`, `pain.001`. */
const formatPattern = /^[a-z]+[./][^-]*/;

/**
 * Converts the option `EveryTwoWeeks` to "Every two weeks". An alternative spelling comes first, because it corrects the
 * option.
 */
function titleFromOption(option: string, aliases: Meta["alsoSpelled"] = new Map()): string {
  const [spelling = option] = [...aliases].find(([, each]) => each === option) ?? [];
  const [format = ""] = formatPattern.exec(spelling) ?? [];
  return format + titleFromName(spelling).slice(format.length);
}

const booleanTitles = [
  ["true", "Yes"],
  ["false", "No"],
] as const;

/** Returns the options of a value and of its parts with their titles. */
function titlesIn(schema: z.ZodType): readonly (readonly [option: string, title: string])[] {
  if (kindOf(schema) === "boolean") return booleanTitles;
  const { alsoSpelled } = metaOf(schema);
  const own = optionsOf(schema)?.map((each) => [each, titleFromOption(each, alsoSpelled)] as const);
  const entry = elementOf(schema) ?? valueOf(schema);
  const parts = entry ? [entry] : Object.values(shapeOf(schema));
  return own ?? parts.flatMap(titlesIn);
}

/** True if an option is no word: `text/plain`, `camt.053.001.08` or `31`. */
const isIdentifier = (option: string): boolean => !/^[a-z]+([ _-]|$)/i.test(option);

/** Returns the titles of the options of all fields. An identifier has none. */
export const optionTitlesOf = (schemas: readonly z.ZodType[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    schemas.flatMap(titlesIn).filter(([option, title]) => option !== title || !isIdentifier(option)),
  );
