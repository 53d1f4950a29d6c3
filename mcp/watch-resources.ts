/** Watches as resources: what is new at an address that says what is watched. */
import { inputFields, pageOf } from "../core/declaration/described-page";
import { requires } from "../core/declaration/operation";
import type { Watch } from "../core/declaration/watch";
import { watchProperties } from "./changes";
import { argumentName } from "./names";
import type { JsonObject, WatchResource } from "./protocol";

export const templatesIn = (list: readonly WatchResource[]) =>
  list.map(({ uriTemplate, about }) => ({ uriTemplate, ...about }));

export const resourcesIn = (list: readonly WatchResource[]) =>
  list.flatMap(({ uri, about }) => (uri === undefined ? [] : [{ uri, ...about }]));

export const watchMimeType = "application/json";

const root = "fxdesk://watches/";

export function watchResourceOf(watch: Watch): WatchResource {
  const page = pageOf(watch);
  const fields = inputFields(page);
  const names = [...fields.map(({ name }) => argumentName(name)), ...Object.keys(watchProperties(watch))];
  const uri = `${root}${watch.tool}`;
  const isOpen = fields.every(({ need }) => need !== "required") && !page.rules.some(requires);
  return {
    uriTemplate: `${uri}{?${names.join(",")}}`,
    ...(isOpen && { uri }),
    about: {
      name: watch.tool,
      title: watch.title,
      description: watch.summary,
      mimeType: watchMimeType,
    },
  };
}

/** The tool and its arguments that an address stands for; undefined for one that is not of a watch. */
export function watchAt(uri: string): { readonly tool: string; readonly input: JsonObject } | undefined {
  if (!uri.startsWith(root) || !URL.canParse(uri)) return undefined;
  const { pathname, searchParams } = new URL(uri);
  const input = [...new Set(searchParams.keys())].map((name) => {
    const values = searchParams.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  });
  return { tool: pathname.slice(1), input: Object.fromEntries(input) as JsonObject };
}
