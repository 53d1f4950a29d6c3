/** JSON values: objects, the value at a path, and canonical text. */

/** True for an object with members: no list and not null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value at a path through objects and lists, or undefined. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

function serialize(value: Json): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(serialize).join(",")}]`;
  const members = value as Readonly<Record<string, Json>>;
  let text = "{";
  for (const name of Object.keys(members).toSorted())
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:${serialize(members[name]!)}`;
  return `${text}}`;
}

/**
 * Serializes JSON with sorted members and no spaces (RFC 8785), so that equal values have equal hashes. Drops or converts values
 * that JSON cannot represent, as JSON.stringify does.
 */
export const canonicalJson = (value: object): string => canonicalOf(JSON.parse(JSON.stringify(value)));

/** Serializes a value that was parsed from JSON, as `canonicalJson` does. */
export const canonicalOf = (parsed: unknown): string => serialize(parsed as Json);

/** True if lists and objects are nested in more than `maxDepth` levels. Allocates nothing: each response is checked. */
export function isDeeperThan(maxDepth: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (maxDepth < 1) return true;
  if (Array.isArray(value)) return value.some((each) => isDeeperThan(maxDepth - 1, each));
  for (const name in value)
    if (isDeeperThan(maxDepth - 1, (value as Readonly<Record<string, unknown>>)[name])) return true;
  return false;
}
