/** The catalogues of the editor and of the status texts: words of each language, and those of declarations. */
import { environmentName, settingsOf } from "../../core/client/settings";
import type { Callable } from "../../core/declaration/operation";
import { declarationsOf, type Service } from "../../core/declaration/service";
import { inputFields, pageOf } from "../../core/declaration/described-page";
import { commonOf, isCommon } from "./common";
import { callSlug, inNodeWords, slugOf, watchSlug } from "../names";
import { type PartWords, partWords } from "./parts";
import type { Words } from "./words/en";

const entries = <T>(list: readonly T[], entry: (item: T) => [string, unknown]) =>
  Object.fromEntries(list.map(entry));

type FieldWords = readonly [name: string, words: PartWords];

/** The words of the fields of an operation. */
const fieldWords = (operation: Callable, all: readonly Callable[]): readonly FieldWords[] =>
  inputFields(pageOf(operation)).map(({ name, title, description, schema }) => {
    const parts = partWords(schema);
    return [name, { label: title, description: inNodeWords(description, all), ...(parts && { parts }) }];
  });

/** The words of an operation, without those of fields that are as common. */
function operationWords(
  operation: Callable,
  all: readonly Callable[],
  common: Readonly<Record<string, PartWords>>,
) {
  const own = fieldWords(operation, all).filter((each) => !isCommon(common, each));
  return { label: operation.title, ...(own.length > 0 && { fields: Object.fromEntries(own) }) };
}

/** The editor looks for the label of a drawer by its name without spaces. */
export const drawerLabels = ({ categories }: Words) => ({
  label: entries(Object.entries(categories), ([category, label]) => [category.replaceAll(" ", "_"), label]),
});

/** The locale catalogue of the node set. What declarations say is the same in each. */
export function localeCatalogue(service: Service, words: Words) {
  const all = declarationsOf(service);
  const common = commonOf(all.flatMap((operation) => fieldWords(operation, all)));
  const { form, connection, status, call, watch } = words;
  return {
    form,
    connection: {
      ...connection,
      settings: entries(settingsOf(service), ({ name, title, description }) => [
        name,
        { label: title, description, variable: environmentName(name) },
      ]),
    },
    status,
    palette: drawerLabels(words),
    fields: common,
    operations: {
      [callSlug]: call,
      [watchSlug]: watch,
      ...entries(all, (operation) => [slugOf(operation), operationWords(operation, all, common)]),
    },
  };
}

/** The locale catalogue of the nodes round releases. */
export const releasesCatalogue = (words: Words) => ({ form: words.releases, palette: drawerLabels(words) });
