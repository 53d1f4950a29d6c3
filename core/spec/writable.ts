/** Checks that values can be encoded as text or JSON, independent of their schemas. */

/**
 * Maximum nesting of lists and objects, including the body itself. Bounds the recursion of everything that reads a
 * body.
 */
export const maxDepth = 64;

/** A value that cannot be encoded. */
interface UnwritableValue {
  /** Field name with the path inside it. */
  readonly field: string;
  readonly message: string;
}

/** Also accepts plain objects of other realms, because Node-RED function nodes run in their own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Excludes instances and objects with toJSON: their JSON would differ from what was validated. */
const isData = (value: object): boolean =>
  (Array.isArray(value) || isPlain(value)) && typeof (value as { toJSON?: unknown }).toJSON !== "function";

function scalarProblem(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : "must not contain a lone surrogate";
    case "number":
      return Number.isFinite(value) ? undefined : `must be a finite number, not ${value}`;
    case "bigint":
      return "must not be a BigInt";
    case "function":
    case "symbol":
      return `must not be a ${typeof value}`;
    default:
      return undefined;
  }
}

/** Returns the problem with an object itself. Names Buffers, the most frequent mistake in flows. */
function objectProblem(value: object, ancestors: readonly object[]): string | undefined {
  if (ancestors.includes(value)) return "must not contain itself";
  if (ancestors.length >= maxDepth) return `must have at most ${maxDepth} levels`;
  if (isData(value)) return undefined;
  return `must be plain JSON data${Buffer.isBuffer(value) ? ", not a Buffer" : ""}`;
}

/** Returns the first keys of a path. Paths to values that are nested too deep would be unreadable. */
const pathText = (path: readonly string[]): string => path.slice(0, 8).join(".");

/** Returns the first value that cannot be encoded. `ancestors` are the objects that contain the value. */
function findIn(
  value: unknown,
  path: readonly string[],
  ancestors: readonly object[],
): UnwritableValue | undefined {
  const isObject = typeof value === "object" && value !== null;
  const problem = isObject ? objectProblem(value, ancestors) : scalarProblem(value);
  if (problem !== undefined) return { field: pathText(path), message: problem };
  if (!isObject) return undefined;
  const entries: Iterable<[string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, inner] of entries) {
    if (typeof key === "string" && !key.isWellFormed())
      return { field: pathText(path), message: "must not contain a field name with a lone surrogate" };
    const innerPath = [...path, String(key)];
    if (typeof key === "number" && inner === undefined)
      return { field: pathText(innerPath), message: "must have a value" };
    const found = findIn(inner, innerPath, [...ancestors, value]);
    if (found) return found;
  }
  return undefined;
}

/** Returns the first value in a field that cannot be encoded. Never throws, even if reading the value does. */
export function findUnwritable(
  values: Readonly<Record<string, unknown>>,
  name: string,
): UnwritableValue | undefined {
  try {
    return findIn(values[name], [name], [values]);
  } catch {
    return { field: name, message: "cannot be read" };
  }
}
