/** Extracts object structures that occur several times in the editor script into constants. */
import type { Control } from "./controls";
import { literal } from "./markup";
import type { Part } from "./object-parts";

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
