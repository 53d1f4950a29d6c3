/**
 * Copies, writes and reads state. References to the same object are preserved.
 *
 * State consists of plain objects, arrays, maps, sets, dates, decimals and buffers. Functions and other class instances are
 * rejected.
 */
import { Big } from "big.js";

/** A JSON value. Types that JSON lacks are objects with a single key that starts with $. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

type Container = unknown[] | Map<unknown, unknown> | Set<unknown> | Record<string, unknown>;

function isPlain(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function assertState(value: object): asserts value is Container {
  if (!Array.isArray(value) && !(value instanceof Map) && !(value instanceof Set) && !isPlain(value))
    throw new TypeError(`An object of class ${value.constructor.name} cannot be saved as state.`);
}

/** Defines a property without running a setter, because the key may be `__proto__`. */
const defineKey = (object: object, key: string, value: unknown): void =>
  void Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });

/** Immutable values, which a copy can share. */
const isImmutable = (value: object): boolean =>
  value instanceof Big || value instanceof Date || Buffer.isBuffer(value) || Object.isFrozen(value);

/** Returns a deep copy of the state. Frozen objects are assumed to be deeply frozen and are shared. */
export function copyState<State>(state: State): State {
  const copies = new Map<object, Container>();
  const register = <C extends Container>(value: object, copy: C): C => {
    copies.set(value, copy);
    return copy;
  };
  function copyValue(value: unknown): unknown {
    if (typeof value === "function") throw new TypeError("A function cannot be saved as state.");
    if (typeof value !== "object" || value === null || isImmutable(value)) return value;
    const known = copies.get(value);
    if (known) return known;
    assertState(value);
    if (Array.isArray(value)) {
      const copy = register(value, [] as unknown[]);
      for (const item of value) copy.push(copyValue(item));
      return copy;
    }
    if (value instanceof Map) {
      const copy = register(value, new Map<unknown, unknown>());
      for (const [key, item] of value) copy.set(copyValue(key), copyValue(item));
      return copy;
    }
    if (value instanceof Set) {
      const copy = register(value, new Set<unknown>());
      for (const item of value) copy.add(copyValue(item));
      return copy;
    }
    const copy = register(value, {} as Record<string, unknown>);
    for (const key of Object.keys(value)) defineKey(copy, key, copyValue(value[key]));
    return copy;
  }
  return copyValue(state) as State;
}

/** Returns state as JSON. A repeated object is written as the number of its first occurrence. */
export function serializeState(state: unknown): Json {
  const numbers = new Map<object, number>();
  const serializeAll = (items: Iterable<unknown>) => Array.from(items, (item) => serializeValue(item));
  const serializePairs = (items: Iterable<readonly [unknown, unknown]>) =>
    Array.from(items, ([key, item]) => [serializeValue(key), serializeValue(item)]);
  function serializeValue(value: unknown): Json {
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (value === undefined) return { $undefined: true };
    if (typeof value === "number") return Number.isFinite(value) ? value : { $number: String(value) };
    if (typeof value !== "object") throw new TypeError(`A ${typeof value} cannot be saved as state.`);
    if (value instanceof Big) return { $decimal: value.toFixed() };
    if (value instanceof Date) return { $time: value.getTime() };
    if (Buffer.isBuffer(value)) return { $bytes: value.toString("base64") };
    const number = numbers.get(value);
    if (number !== undefined) return { $same: number };
    numbers.set(value, numbers.size);
    assertState(value);
    if (Array.isArray(value)) return serializeAll(value);
    if (value instanceof Map) return { $map: serializePairs(value) };
    if (value instanceof Set) return { $set: serializeAll(value) };
    const entries = Object.entries(value);
    if (entries.some(([key]) => key.startsWith("$") || key === "__proto__"))
      return { $object: serializePairs(entries) };
    return Object.fromEntries(entries.map(([key, item]) => [key, serializeValue(item)]));
  }
  return serializeValue(state);
}

/** Reads state that `serializeState` wrote. Throws a TypeError for an unknown value type. */
export function deserializeState(json: Json): unknown {
  const containers: Container[] = [];
  const register = <C extends Container>(container: C): C => {
    containers.push(container);
    return container;
  };
  const decoders: Readonly<Record<string, (content: never) => unknown>> = {
    $undefined: () => undefined,
    $number: (text: string) => Number(text),
    $decimal: (text: string) => new Big(text),
    $time: (time: number) => new Date(time),
    $same: (number: number) => containers[number],
    $map(entries: readonly (readonly [Json, Json])[]) {
      const map = register(new Map<unknown, unknown>());
      for (const [key, item] of entries) map.set(readValue(key), readValue(item));
      return map;
    },
    $set(items: readonly Json[]) {
      const set = register(new Set<unknown>());
      for (const item of items) set.add(readValue(item));
      return set;
    },
    $object: (entries: readonly (readonly [string, Json])[]) => readObject(entries),
    $bytes: (text: string) => Buffer.from(text, "base64"),
  };
  function readObject(entries: readonly (readonly [string, Json])[]) {
    const filled = register({} as Record<string, unknown>);
    for (const [key, item] of entries) defineKey(filled, key, readValue(item));
    return filled;
  }
  function readValue(value: Json): unknown {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const list = register([] as unknown[]);
      for (const item of value as readonly Json[]) list.push(readValue(item));
      return list;
    }
    const entries = Object.entries(value);
    const [key, content] = entries[0] ?? [""];
    if (!key.startsWith("$")) return readObject(entries);
    const decode = decoders[key];
    if (!decode) throw new TypeError(`${key} is not a known value type.`);
    return decode(content as never);
  }
  return readValue(json);
}
