/** Whether values can be written at all, whatever their schemas say: as text in an address, as JSON in a body. */

/** How many lists and objects may lie in each other, the body itself counted: whoever reads one goes as deep as it is. */
export const maxDepth = 64;

/** Something that cannot be written, and where it is. */
interface Unwritable {
  /** The field, with the path inside it. */
  readonly field: string;
  readonly message: string;
}

/** The keys that lead to it, the last first. */
interface Found {
  readonly keys: string[];
  readonly message: string;
}

const found = (message: string): Found => ({ keys: [], message });

/** Of another realm too, as in a function of a flow: what stands above a plain object stands at the top. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** JSON writes an object as what its toJSON gives, and an instance without what it inherits: not what was checked. */
const isData = (value: object): boolean =>
  (Array.isArray(value) || isPlain(value)) && typeof (value as { toJSON?: unknown }).toJSON !== "function";

/** Bytes are what flows bring most often where none may be. */
const notData = (value: object): string =>
  `must be plain data, as JSON has it${Buffer.isBuffer(value) ? ", not a Buffer" : ""}`;

function inScalar(value: unknown): Found | undefined {
  switch (typeof value) {
    case "string":
      return value.isWellFormed() ? undefined : found("must not hold a lone surrogate");
    case "number":
      return Number.isFinite(value) ? undefined : found(`must be a finite number, not ${value}`);
    case "bigint":
      return found("must not be a BigInt");
    case "function":
    case "symbol":
      return found(`must not be a ${typeof value}`);
    default:
      return undefined;
  }
}

/** `around` are the objects the value lies in. */
function inValue(value: unknown, around: object[]): Found | undefined {
  if (typeof value !== "object" || value === null) return inScalar(value);
  if (around.includes(value)) return found("must not hold itself");
  if (around.length >= maxDepth) return found(`must not have more than ${maxDepth} levels`);
  if (!isData(value)) return found(notData(value));
  around.push(value);
  const flaw = Array.isArray(value) ? inList(value, around) : inObject(value, around);
  around.pop();
  return flaw;
}

function inList(list: readonly unknown[], around: object[]): Found | undefined {
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index];
    const flaw = item === undefined ? found("must have a value") : inValue(item, around);
    if (flaw) return within(String(index), flaw);
  }
  return undefined;
}

function inObject(object: object, around: object[]): Found | undefined {
  for (const key in object) {
    if (!key.isWellFormed()) return found("must not hold a lone surrogate in the name of a field");
    const flaw = inValue((object as Readonly<Record<string, unknown>>)[key], around);
    if (flaw) return within(key, flaw);
  }
  return undefined;
}

function within(key: string, flaw: Found): Found {
  flaw.keys.push(key);
  return flaw;
}

/** A path as deep as what is too deep would tell nobody more than its beginning. */
const pathOf = (keys: readonly string[]): string => keys.toReversed().slice(0, 8).join(".");

/** The first thing in a field that cannot be written. Never throws, whatever the value does when it is read. */
export function firstUnwritable(
  values: Readonly<Record<string, unknown>>,
  name: string,
): Unwritable | undefined {
  try {
    const value = values[name];
    if (value === undefined) return undefined;
    const flaw = typeof value === "object" ? inValue(value, [values]) : inScalar(value);
    return flaw && { field: pathOf([...flaw.keys, name]), message: flaw.message };
  } catch {
    return { field: name, message: "cannot be read" };
  }
}
