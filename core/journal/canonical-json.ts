/** One text for a value of JSON: what is hashed must not depend on the order of members or on spaces (RFC 8785). */

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

function serialize(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(serialize).join(",")}]`;
  const members = value as Readonly<Record<string, Json>>;
  const names = Object.keys(members).toSorted();
  return `{${names.map((name) => `${JSON.stringify(name)}:${serialize(members[name]!)}`).join(",")}}`;
}

/** What JSON cannot hold is left out or converted, as JSON.stringify does. */
export const canonicalJson = (value: object): string => serialize(JSON.parse(JSON.stringify(value)) as Json);
