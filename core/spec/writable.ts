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

/** Path to the value, innermost key first. */
interface Problem {
  readonly keys: string[];
  readonly message: string;
}

const problem = (message: string): Problem => ({ keys: [], message });

/** Also accepts plain objects of other realms, because Node-RED function nodes run in their own. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Excludes instances and objects with toJSON: their JSON would differ from what was validated. */
const isData = (value: object): boolean =>
  (Array.isArray(value) || isPlain(value)) && typeof (value as { toJSON?: unknown }).toJSON !== "function";

/** Names Buffers, the most frequent mistake in flows. */
const notPlainDataMessage = (value: object): string =>
  `must be plain JSON data${Buffer.isBuffer(value) ? ", not a Buffer" : ""}`;

function checkScalar(value: unknown): Problem | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : problem("must not contain a lone surrogate");
    case "number":
      return Number.isFinite(value) ? undefined : problem(`must be a finite number, not ${value}`);
    case "bigint":
      return problem("must not be a BigInt");
    case "function":
    case "symbol":
      return problem(`must not be a ${typeof value}`);
    default:
      return undefined;
  }
}

/** `ancestors` are the objects that contain the value. */
function checkValue(value: unknown, ancestors: object[]): Problem | undefined {
  if (typeof value !== "object" || value === null) return checkScalar(value);
  if (ancestors.includes(value)) return problem("must not contain itself");
  if (ancestors.length >= maxDepth) return problem(`must have at most ${maxDepth} levels`);
  if (!isData(value)) return problem(notPlainDataMessage(value));
  ancestors.push(value);
  const result = Array.isArray(value) ? checkList(value, ancestors) : checkObject(value, ancestors);
  ancestors.pop();
  return result;
}

function checkList(list: readonly unknown[], ancestors: object[]): Problem | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const result = item === undefined ? problem("must have a value") : checkValue(item, ancestors);
    if (result) return prependKey(String(index), result);
  }
  return undefined;
}

function checkObject(object: object, ancestors: object[]): Problem | undefined {
  for (const key in object) {
    if (!key.isWellFormed()) return problem("must not contain a field name with a lone surrogate");
    const result = checkValue((object as Readonly<Record<string, unknown>>)[key], ancestors);
    if (result) return prependKey(key, result);
  }
  return undefined;
}

function prependKey(key: string, result: Problem): Problem {
  result.keys.push(key);
  return result;
}

/** Returns the first keys of a path. Paths to values that are nested too deep would be unreadable. */
const pathOf = (keys: readonly string[]): string => keys.toReversed().slice(0, 8).join(".");

/** Returns the first value in a field that cannot be encoded. Never throws, even if reading the value does. */
export function findUnwritable(
  values: Readonly<Record<string, unknown>>,
  name: string,
): UnwritableValue | undefined {
  try {
    const value = values[name];
    if (value === undefined) return undefined;
    const result = typeof value === "object" ? checkValue(value, [values]) : checkScalar(value);
    return result && { field: pathOf([...result.keys, name]), message: result.message };
  } catch {
    return { field: name, message: "cannot be read" };
  }
}
