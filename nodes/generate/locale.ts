/**
 * The catalogues of the editor and of the status texts, in the words of each language, and the words that declarations have for
 * forms: these are read when a form is opened, for browsers ask for catalogues several times.
 */
import { settingsOf } from "../../core/client/settings";
import type { Callable } from "../../core/declaration/operation";
import { declarationsOf, type Service } from "../../core/declaration/service";
import { inputFields, pageOf } from "../../core/declaration/described-page";
import { commonOf, isCommon } from "./common";
import { callSlug, slugOf, watchSlug } from "../names";
import { nodeWordsIn, saidIn } from "./declared-texts";
import { type PartWords, partWords } from "./object-parts";
import type { Words } from "./words/en";

const entries = <T>(list: readonly T[], entry: (item: T) => [string, unknown]) =>
  Object.fromEntries(list.map(entry));

type FieldWords = readonly [name: string, words: PartWords];

/** The words of the fields of an operation. */
const fieldWords = (words: Words, operation: Callable, all: readonly Callable[]): readonly FieldWords[] =>
  inputFields(pageOf(operation)).map(({ name, title, description, schema }) => {
    const parts = partWords(schema, (text) => saidIn(words, text));
    const said = nodeWordsIn(words, saidIn(words, description), all);
    return [name, { label: saidIn(words, title), description: said, ...(parts && { parts }) }];
  });

/** The editor looks for the label of a drawer by its name without spaces. */
export const drawerLabels = ({ categories }: Words) => ({
  label: entries(Object.entries(categories), ([category, label]) => [category.replaceAll(" ", "_"), label]),
});

/** The titles of nodes in another language than that of declarations, which their definitions have. */
const titlesIn = (words: Words, service: Service) =>
  entries(
    declarationsOf(service).filter(({ title }) => title in words.declared),
    (each) => [slugOf(each), saidIn(words, each.title)],
  );

/** The locale catalogue of the node set. */
export function localeCatalogue(words: Words, service: Service) {
  const { form, connection, status, call, watch, shortWords } = words;
  return {
    form,
    connection,
    status,
    palette: drawerLabels(words),
    labels: { [callSlug]: call.label, [watchSlug]: watch.label, ...titlesIn(words, service) },
    short: shortWords,
  };
}

/** What declarations say of settings and fields; operations have those of their fields that most say otherwise. */
export function formWords(words: Words, service: Service) {
  const all = declarationsOf(service);
  const said = all.map((operation) => [slugOf(operation), fieldWords(words, operation, all)] as const);
  const fields = commonOf(said.flatMap(([, each]) => each));
  const own = said.map(([slug, each]) => [slug, each.filter((field) => !isCommon(fields, field))] as const);
  return {
    settings: entries(settingsOf(service), ({ name, title, description }) => [
      name,
      { label: saidIn(words, title), description: saidIn(words, description) },
    ]),
    fields,
    operations: entries(
      own.filter(([, each]) => each.length > 0),
      ([slug, each]) => [slug, Object.fromEntries(each)],
    ),
  };
}

/** The locale catalogue of the nodes round releases. */
export const releasesCatalogue = (words: Words) => ({ form: words.releases, palette: drawerLabels(words) });
