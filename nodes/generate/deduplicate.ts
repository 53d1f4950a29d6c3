/** Removes repetition from generated files, to keep them small. */
import type { Control, Part } from "./controls";
import { literal } from "./editor-code";

type Named<T> = readonly [name: string, value: T];

/** Returns the most frequent value of each name. */
export function commonValues<T>(all: readonly Named<T>[]): Readonly<Record<string, T>> {
  const counts = new Map<string, { readonly entry: Named<T>; times: number }>();
  for (const entry of all) {
    const key = JSON.stringify(entry);
    const known = counts.get(key);
    if (known) known.times += 1;
    else counts.set(key, { entry, times: 1 });
  }
  const byCount = [...counts.values()].toSorted((one, other) => one.times - other.times);
  return Object.fromEntries(byCount.map(({ entry }) => entry));
}

/** True if an entry has the common value of its name. */
export const isCommon = <T>(common: Readonly<Record<string, T>>, [name, value]: Named<T>): boolean =>
  JSON.stringify(common[name]) === JSON.stringify(value);

/** Minimum length of extracted code. */
const minSharedLength = 100;

/** Returns the parts of all nested objects, as code. */
function partsIn(part: Part | undefined): readonly string[] {
  if (part?.kind === "list" || part?.kind === "map") return partsIn(part.of);
  return part?.kind === "object" ? [literal(part.parts), ...Object.values(part.parts).flatMap(partsIn)] : [];
}

/** Replaces repeated structures with constants that are declared before the code. */
export function extractSharedParts(code: string, controls: readonly Control[]): string {
  const all = new Set(controls.flatMap(({ part }) => partsIn(part)));
  const shared = [...all].filter(
    (text) => text.length > minSharedLength && code.indexOf(text) !== code.lastIndexOf(text),
  );
  // Outer structures first: replacing inner ones first would change their text.
  const longestFirst = shared.toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, text, index) => {
    const name = `parts${longestFirst.length - index}`;
    return `const ${name} = ${text};\n${rest.replaceAll(text, name)}`;
  }, code);
}
