/** Watches as resources: what is new at an address that says what is watched. */
import type { JsonObject, WatchResource } from "./protocol";

export const toResourceTemplates = (list: readonly WatchResource[]) =>
  list.map(({ uriTemplate, about }) => ({ uriTemplate, ...about }));

export const toListedResources = (list: readonly WatchResource[]) =>
  list.flatMap(({ uri, about }) => (uri === undefined ? [] : [{ uri, ...about }]));

export const watchMimeType = "application/json";

export const watchUriRoot = "fxdesk://watches/";

/** The tool and its arguments that an address stands for; undefined for one that is not of a watch. */
export function parseWatchUri(
  uri: string,
): { readonly tool: string; readonly input: JsonObject } | undefined {
  if (!uri.startsWith(watchUriRoot) || !URL.canParse(uri)) return undefined;
  const { pathname, searchParams } = new URL(uri);
  const input = [...new Set(searchParams.keys())].map((name) => {
    const values = searchParams.getAll(name);
    return [name, values.length === 1 ? values[0] : values];
  });
  return { tool: pathname.slice(1), input: Object.fromEntries(input) as JsonObject };
}
