/** Translation of texts in declarations. Falls back to the declared English. */
import { settingsOf } from "../../core/call/settings";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import type { Callable } from "../../core/spec/operation";
import { sectionOf, splitName } from "../../core/spec/sections";
import { dailyOf, declarationsOf, type Service } from "../../core/spec/service";
import { withNodeTitles } from "../shared/node-names";
import { type PartWords, partWords } from "./object-parts";
import type { Words } from "./words/en";

export const translateDeclared = ({ declared }: Words, text: string): string => declared[text] ?? text;

/** Replaces operation names in a text with the node titles of a language. */
export const translateWithNodeTitles = (
  words: Words,
  text: string,
  operations: readonly Callable[],
): string => {
  const [opening, closing] = words.quotes;
  return withNodeTitles(
    text,
    operations,
    ({ title }) => `${opening}${translateDeclared(words, title)}${closing}`,
  );
};

/** Returns the texts that declarations give to forms and the palette, each with the declaration where it first occurs. */
export function declaredTexts(service: Service): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const note = (where: string, ...texts: readonly (string | undefined)[]) => {
    for (const text of texts) if (text && !found.has(text)) found.set(text, where);
  };
  const noteParts = (where: string, parts: PartWords["parts"] = {}) => {
    for (const [name, { label, description, parts: inner }] of Object.entries(parts)) {
      note(`${where}.${name}`, label, description);
      noteParts(`${where}.${name}`, inner);
    }
  };
  for (const callable of declarationsOf(service)) {
    note(callable.name, callable.title);
    for (const { name, title, description, schema } of callerFieldDocs(describeOperation(callable))) {
      note(`${callable.name}: ${name}`, title, description);
      noteParts(
        `${callable.name}: ${name}`,
        partWords(schema, (text) => text),
      );
    }
  }
  for (const { name, title, description } of settingsOf(service)) note(`setting ${name}`, title, description);
  return found;
}

/** Returns warnings for the build: missing translations, unused translations, and sections without an icon. */
export function fallbacksOf(service: Service, words: Words, icons: readonly string[]): readonly string[] {
  const declared = declaredTexts(service);
  const all = declarationsOf(service);
  const drawers = new Set(all.map((each) => sectionOf(splitName(each)[0], all)));
  return [
    ...[...declared]
      .filter(([text]) => !words.declared[text]?.trim())
      .map(([text, where]) => `not translated: ${text} (${where})`),
    ...dailyOf(service)
      .filter(({ name }) => service.daily?.includes(name) && !(name in words.help.summaries))
      .map(({ name }) => `not translated: summary of ${name}`),
    ...[...drawers].flatMap(({ category }) =>
      category === undefined || category in words.categories ? [] : [`not translated: ${category}`],
    ),
    ...Object.keys(words.declared)
      .filter((text) => !declared.has(text))
      .map((text) => `translation not used: ${text}`),
    ...[...new Set(all.map((each) => splitName(each)[0]))].flatMap((section) => {
      const { icon } = sectionOf(section, all);
      return icon !== undefined && icons.includes(icon) ? [] : [`no icon: section ${section}`];
    }),
  ];
}
