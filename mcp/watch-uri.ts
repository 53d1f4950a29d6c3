/** URIs of watches as resources. */
import type { JsonObject, WatchResource } from "./protocol";

export const toResourceTemplates = (list: readonly WatchResource[]) =>
  list.map(({ uriTemplate, about }) => ({ uriTemplate, ...about }));

export const toListedResources = (list: readonly WatchResource[]) =>
  list.flatMap(({ uri, about }) => (uri === undefined ? [] : [{ uri, ...about }]));

export const watchMimeType = "application/json";

export const watchUriRoot = "fxdesk://watches/";

/** Parses the tool and its arguments from a URI; undefined if it is not a watch URI. */
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
