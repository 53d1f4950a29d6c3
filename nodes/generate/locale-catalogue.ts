/**
 * Locale catalogues of the editor and the node statuses, and the form texts of declarations. Form texts are separate files
 * because browsers request the catalogues several times.
 */
import { settingsOf } from "../../core/call/settings";
import type { Callable } from "../../core/spec/operation";
import { declarationsOf, type Service } from "../../core/spec/service";
import { callerFieldDocs, describeOperation } from "../../core/spec/describe-operation";
import { commonValues, isCommon } from "./deduplicate";
import { callSlug, slugOf, watchSlug } from "../shared/node-names";
import { translateWithNodeTitles, translateDeclared } from "./declared-texts";
import { type PartWords, partWords } from "./object-parts";
import type { Words } from "./words/en";

const toObject = <T>(list: readonly T[], entry: (item: T) => [string, unknown]) =>
  Object.fromEntries(list.map(entry));

type FieldWords = readonly [name: string, words: PartWords];

/** Returns labels and descriptions of the fields of an operation. */
const fieldWords = (words: Words, operation: Callable, all: readonly Callable[]): readonly FieldWords[] =>
  callerFieldDocs(describeOperation(operation)).map(({ name, title, description, schema }) => {
    const parts = partWords(schema, (text) => translateDeclared(words, text));
    const translated = translateWithNodeTitles(words, translateDeclared(words, description), all);
    return [
      name,
      { label: translateDeclared(words, title), description: translated, ...(parts && { parts }) },
    ];
  });

/** Returns the category labels. The editor looks them up by name with underscores instead of spaces. */
export const drawerLabels = ({ categories }: Words) => ({
  label: toObject(Object.entries(categories), ([category, label]) => [category.replaceAll(" ", "_"), label]),
});

/** Returns the translated node titles. English titles are in the definitions. */
const translatedTitles = (words: Words, service: Service) =>
  toObject(
    declarationsOf(service).filter(({ title }) => title in words.declared),
    (each) => [slugOf(each), translateDeclared(words, each.title)],
  );

/** Returns the locale catalogue of the node set. */
export function localeCatalogue(words: Words, service: Service) {
  const { form, connection, status, call, watch, shortWords } = words;
  return {
    form,
    connection,
    status,
    palette: drawerLabels(words),
    labels: { [callSlug]: call.label, [watchSlug]: watch.label, ...translatedTitles(words, service) },
    short: shortWords,
  };
}

/** Returns the texts of settings and fields. Texts shared by most fields of a name are stored once. */
export function formWords(words: Words, service: Service) {
  const all = declarationsOf(service);
  const wordsBySlug = all.map((operation) => [slugOf(operation), fieldWords(words, operation, all)] as const);
  const fields = commonValues(wordsBySlug.flatMap(([, each]) => each));
  const ownWords = wordsBySlug.map(
    ([slug, each]) => [slug, each.filter((field) => !isCommon(fields, field))] as const,
  );
  return {
    settings: toObject(settingsOf(service), ({ name, title, description }) => [
      name,
      { label: translateDeclared(words, title), description: translateDeclared(words, description) },
    ]),
    fields,
    operations: toObject(
      ownWords.filter(([, each]) => each.length > 0),
      ([slug, each]) => [slug, Object.fromEntries(each)],
    ),
  };
}

/** Returns the locale catalogue of the release nodes. */
export const releasesCatalogue = (words: Words) => ({ form: words.releases, palette: drawerLabels(words) });
