/** The declaration file of the client with its methods written out: what an editor shows when one is pointed at. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations as allOperations, type Declaration } from "../core/operations";
import { callerFields } from "../core/operations/fields";
import { bySection, sectionTitle, splitName } from "../core/operations/sections";
import { effects, failureWords, fieldWords, kindWords } from "./words";

/** A list under a heading; nothing when it is empty. */
const list = (heading: string, items: readonly string[]): string[] =>
  items.length === 0 ? [] : ["", `${heading}:`, ...items.map((item) => `- ${item}`)];

function documentation(operation: Declaration): string[] {
  const { summary, notes, effect, rules = [], answers, errors, method, path, contract } = operation;
  return [
    [summary, notes].filter(Boolean).join(" "),
    "",
    effects[effect],
    ...list(
      "Fields",
      callerFields(operation).map((field) =>
        `\`${field.name}\` (${kindWords(field)}): ${fieldWords(field)}`.trim(),
      ),
    ),
    ...list(
      "Rules",
      rules.map(({ says }) => says),
    ),
    ...list(
      "Answers",
      Object.entries(answers).map(([status, { says }]) => `${status}: ${says}`),
    ),
    ...list(
      "Errors",
      Object.entries(errors).map(([status, failure]) => `${status}: ${failureWords(failure)}`),
    ),
    "",
    `Contract: ${contract}, ${method} ${path}`,
  ];
}

/** No text may end the comment it stands in. */
const comment = (lines: readonly string[]): string =>
  ["  /**", ...lines.map((line) => `   * ${line.replaceAll("*/", "* /")}`.trimEnd()), "   */"].join("\n");

const interfaceOf = (section: string): string =>
  `${section.charAt(0).toUpperCase()}${section.slice(1)}Section`;

function methodOf(operation: Declaration): string {
  const [, method] = splitName(operation);
  return `${comment(documentation(operation))}\n  readonly ${method}: Method<Named<"${operation.name}">>;`;
}

/** The declaration file, as text. */
export function clientTypes(operations: readonly Declaration[]): string {
  const sections = [...bySection(operations)];
  const interfaces = sections.map(
    ([section, members]) =>
      `/** ${sectionTitle(section)}. */\nexport interface ${interfaceOf(section)} {\n${members.map(methodOf).join("\n")}\n}\n`,
  );
  const properties = sections.map(([section]) => `  readonly ${section}: ${interfaceOf(section)};`);
  return `import type { operations } from "../operations";
import type { ClientCore, Method } from "./client";

type Named<Name extends string> = Extract<(typeof operations)[number], { readonly name: Name }>;

${interfaces.join("\n")}
/** The client of the whole contract. */
export interface FxdeskClient extends ClientCore {
${properties.join("\n")}
}
`;
}

export const writeClientTypes = (dist: string): Promise<void> =>
  writeFile(join(dist, "core/client/fxdesk-client.d.ts"), clientTypes(allOperations));
