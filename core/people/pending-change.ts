/** Changes of the people file that wait until a second administrator confirms them. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { canonicalJson, isObject } from "../values/json";
import { PersonName } from "./name";

const Edit = z.strictObject({
  path: z.array(z.string()).min(1),
  /** Absent if there was nothing. */
  before: z.json().optional(),
  /** Absent if the value is removed. */
  after: z.json().optional(),
});
type Edit = Readonly<z.output<typeof Edit>>;

export const PendingChange = z.strictObject({
  id: z.string(),
  /** Past participle, for example "secret changed". */
  change: z.string(),
  person: z.string(),
  /** The administrator who made the change, and their epoch at that time. */
  by: PersonName,
  epoch: z.string(),
  at: z.iso.datetime(),
  until: z.iso.datetime(),
  edits: z.array(Edit),
});
export type PendingChange = Readonly<z.output<typeof PendingChange>>;

/** Time for which a change waits. */
const validityMs = 24 * 3_600_000;

/** Returns the ID and the times of a change that begins to wait now. */
export function pendingNow(now: number): Pick<PendingChange, "id" | "at" | "until"> {
  const at = new Date(now).toISOString();
  const id = `C-${randomBytes(5).toString("hex").toUpperCase()}`;
  return { id, at, until: new Date(now + validityMs).toISOString() };
}

/** Returns the changes that can still be confirmed. */
export const openChanges = (pending: readonly PendingChange[], now: number): PendingChange[] =>
  pending.filter(({ until }) => Date.parse(until) > now);

type JsonObject = Readonly<Record<string, unknown>>;

/** An own value, so that a person may be named like a method of objects. */
const ownValue = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/** Returns what identifies a value. A person stays the same until their epoch changes, also if they use a code. */
const identityOf = (value: unknown): unknown =>
  isObject(value) && value.epoch !== undefined ? value.epoch : value;

const isSame = (one: unknown, other: unknown): boolean => canonicalJson([one]) === canonicalJson([other]);

/** Returns the smallest edits that turn one object into another. */
export function editsBetween(before: unknown, after: unknown, path: readonly string[] = []): Edit[] {
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      editsBetween(ownValue(before, name), ownValue(after, name), [...path, name]),
    );
  return isSame(before, after) ? [] : [{ path: [...path], before: identityOf(before), after } as Edit];
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  return isObject(value) ? valueAt(ownValue(value, name), rest) : undefined;
}

function withValue(object: JsonObject, [name, ...rest]: readonly string[], value: unknown): JsonObject {
  const { [name!]: old, ...others } = object;
  const next = rest.length === 0 ? value : withValue(isObject(old) ? old : {}, rest, value);
  return next === undefined ? others : { ...object, [name!]: next };
}

/** Applies edits. Returns undefined if a value is no longer what it was when the edits were made. */
export function applyEdits<T extends object>(object: T, edits: readonly Edit[]): T | undefined {
  const isCurrent = edits.every(({ path, before }) => isSame(identityOf(valueAt(object, path)), before));
  if (!isCurrent) return undefined;
  const start = { ...object } as JsonObject;
  return edits.reduce((changed, { path, after }) => withValue(changed, path, after), start) as T;
}
