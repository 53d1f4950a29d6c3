/** A change in one line, for a person. */
import type { Change } from "../../core/declaration/watch";
import { printable } from "../terminal";

type Facts = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An amount with its currency, as people write it; undefined for any other object. */
function moneyText(value: Facts): string | undefined {
  const { amount, currency, ...others } = value;
  const isMoney = amount !== undefined && currency !== undefined && Object.keys(others).length === 0;
  return isMoney ? `${String(amount)} ${String(currency)}` : undefined;
}

/** Values by their names; those of an object inside joined to its name, lists by their length. */
function factsIn(value: unknown, path = ""): [name: string, text: string][] {
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = path + key;
    if (inner === undefined || inner === null || inner === "") return [];
    const money = isObject(inner) ? moneyText(inner) : undefined;
    if (isObject(inner) && money === undefined) return factsIn(inner, `${name}.`);
    const text = money ?? (Array.isArray(inner) ? `${inner.length} items` : String(inner));
    return [[name, text] as [string, string]];
  });
}

/** What counted before and is another value now, as far as the entry shows it under the same name. */
function changedFields({ entry, before = {} }: Change): Map<string, string> {
  const now = new Map(factsIn(entry));
  const changed = factsIn(before).filter(([name, was]) => now.has(name) && now.get(name) !== was);
  return new Map(changed.map(([name, was]) => [name, `${was} -> ${now.get(name)}`]));
}

/** What people look for comes first: identifiers are long, and come last, after what is inside objects. */
const rank = (name: string): number => (name.endsWith("_id") ? 2 : name.includes(".") ? 1 : 0);

/** When it was found, what it is, what has changed, and the entry; cut to a width. */
export function changeLine(change: Change, width = Infinity): string {
  const { at, kind, id, entry, before, repeated } = change;
  const changed = changedFields(change);
  const facts = factsIn(entry ?? before)
    .filter(([name]) => !changed.has(name))
    .toSorted(([one], [other]) => rank(one) - rank(other));
  const isNamed = facts.some(([, text]) => text === id);
  const parts = [
    ...(isNamed ? [] : [id]),
    ...[...changed, ...facts].map(([name, text]) => `${name} ${text}`),
    ...(repeated ? ["told before"] : []),
  ];
  const time = at.slice(0, "YYYY-MM-DDThh:mm:ss".length).replace("T", " ");
  const line = printable(`${time}  ${kind.padEnd("changed".length)}  ${parts.join(", ")}`);
  return `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`;
}
