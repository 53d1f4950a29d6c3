/** Renders a change as one line of text. */
import type { Change } from "../../core/spec/watch";
import { printable } from "../terminal/terminal";

type Facts = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns an amount with its currency; undefined for any other object. */
function moneyText(value: Facts): string | undefined {
  const { amount, currency, ...others } = value;
  const isMoney = amount !== undefined && currency !== undefined && Object.keys(others).length === 0;
  return isMoney ? `${String(amount)} ${String(currency)}` : undefined;
}

/** Returns names and texts of all values. Nested names are joined by dots; a list is shown by its length. */
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

/** Returns the fields of `before` whose value differs in the entry, as "old -> new". */
function changedFields({ entry, before = {} }: Change): Map<string, string> {
  const now = new Map(factsIn(entry));
  const changed = factsIn(before).filter(([name, was]) => now.has(name) && now.get(name) !== was);
  return new Map(changed.map(([name, was]) => [name, `${was} -> ${now.get(name)}`]));
}

/** Sorts plain values first, then nested ones, then IDs, because they are long and least read. */
const rank = (name: string): number => (name.endsWith("_id") ? 2 : name.includes(".") ? 1 : 0);

/** Renders time, kind, changed fields and entry, cut to `width`. */
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
    ...(repeated ? ["delivered before"] : []),
  ];
  const time = at.slice(0, "YYYY-MM-DDThh:mm:ss".length).replace("T", " ");
  const line = printable(`${time}  ${kind.padEnd("changed".length)}  ${parts.join(", ")}`);
  return `${line.length > width ? `${line.slice(0, width - 1)}…` : line}\n`;
}
