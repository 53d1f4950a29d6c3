/** What several objects of forms are made of, such as accounts by their numbers: the editor's script says it once, by a name. */
import type { Control } from "./controls";
import { literal } from "./markup";
import type { Part } from "./object-parts";

/** What is shorter is as well said again. */
const minSharedLength = 100;

/** The parts of all objects in one, as code. */
function partsIn(part: Part | undefined): readonly string[] {
  if (part?.kind === "list" || part?.kind === "map") return partsIn(part.of);
  return part?.kind === "object" ? [literal(part.parts), ...Object.values(part.parts).flatMap(partsIn)] : [];
}

/** Code, and before it what stands in it several times, by names. */
export function extractSharedParts(code: string, controls: readonly Control[]): string {
  const all = new Set(controls.flatMap(({ part }) => partsIn(part)));
  const shared = [...all].filter(
    (text) => text.length > minSharedLength && code.indexOf(text) !== code.lastIndexOf(text),
  );
  // What holds others is named before them, so that it is still as it was found.
  const longestFirst = shared.toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce((rest, text, index) => {
    const name = `parts${longestFirst.length - index}`;
    return `const ${name} = ${text};\n${rest.replaceAll(text, name)}`;
  }, code);
}
