/** Whether values can be written at all, whatever their schemas say: as text in an address, as JSON in a body. */

/** How many lists and objects may lie in each other, the body itself counted: whoever reads one goes as deep as it is. */
export const maxDepth = 64;

/** Something that cannot be written, and where it is. */
interface UnwritableValue {
  /** The field, with the path inside it. */
  readonly field: string;
  readonly message: string;
}

/** The keys that lead to it, the last first. */
interface Problem {
  readonly keys: string[];
  readonly message: string;
}

const problem = (message: string): Problem => ({ keys: [], message });

/** Of another realm too, as in a function of a flow: what stands above a plain object stands at the top. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** JSON writes an object as what its toJSON gives, and an instance without what it inherits: not what was checked. */
const isData = (value: object): boolean =>
  (Array.isArray(value) || isPlain(value)) && typeof (value as { toJSON?: unknown }).toJSON !== "function";

/** Bytes are what flows bring most often where none may be. */
const notPlainDataMessage = (value: object): string =>
  `must be plain data, as JSON has it${Buffer.isBuffer(value) ? ", not a Buffer" : ""}`;

function checkScalar(value: unknown): Problem | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : problem("must not hold a lone surrogate");
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

/** `around` are the objects the value lies in. */
function checkValue(value: unknown, ancestors: object[]): Problem | undefined {
  if (typeof value !== "object" || value === null) return checkScalar(value);
  if (ancestors.includes(value)) return problem("must not hold itself");
  if (ancestors.length >= maxDepth) return problem(`must not have more than ${maxDepth} levels`);
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
    if (!key.isWellFormed()) return problem("must not hold a lone surrogate in the name of a field");
    const result = checkValue((object as Readonly<Record<string, unknown>>)[key], ancestors);
    if (result) return prependKey(key, result);
  }
  return undefined;
}

function prependKey(key: string, result: Problem): Problem {
  result.keys.push(key);
  return result;
}

/** A path as deep as what is too deep would tell nobody more than its beginning. */
const pathOf = (keys: readonly string[]): string => keys.toReversed().slice(0, 8).join(".");

/** The first thing in a field that cannot be written. Never throws, whatever the value does when it is read. */
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
