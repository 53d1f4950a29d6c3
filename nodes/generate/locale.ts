/** The catalogues of the editor and of the status texts: words of each language, and those of declarations. */
import { environmentName, settingsOf } from "../../core/client/settings";
import type { Callable } from "../../core/declaration/operation";
import { declarationsOf, type Service } from "../../core/declaration/service";
import { inputFields, pageOf } from "../../core/declaration/described-page";
import { callSlug, inNodeWords, slugOf, watchSlug } from "../names";
import { type PartWords, partWords } from "./parts";
import type { Words } from "./words/en";

const entries = <T>(list: readonly T[], entry: (item: T) => [string, unknown]) =>
  Object.fromEntries(list.map(entry));

function operationWords(operation: Callable, service: Service, { help }: Words) {
  const callables = declarationsOf(service);
  const page = pageOf(operation);
  const fields = entries(inputFields(page), ({ name, title, description, schema }) => {
    const parts = partWords(schema);
    const words = { label: title, description: inNodeWords(description, callables), ...(parts && { parts }) };
    return [name, words satisfies PartWords];
  });
  return {
    label: page.title,
    description: inNodeWords(help.summaries[page.name] ?? page.summary, callables),
    fields,
  };
}

/** The editor looks for the label of a drawer by its name without spaces. */
export const drawerLabels = ({ categories }: Words) => ({
  label: entries(Object.entries(categories), ([category, label]) => [category.replaceAll(" ", "_"), label]),
});

/** The locale catalogue of the node set. What declarations say is the same in each, but for summaries that the language has. */
export function localeCatalogue(service: Service, words: Words) {
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
    operations: {
      [callSlug]: { ...call, fields: {} },
      [watchSlug]: { ...watch, fields: {} },
      ...entries(declarationsOf(service), (operation) => [
        slugOf(operation),
        operationWords(operation, service, words),
      ]),
    },
  };
}

/** The locale catalogue of the nodes round releases. */
export const releasesCatalogue = (words: Words) => ({ form: words.releases, palette: drawerLabels(words) });
