/** docs/operations.md of the package: every operation, and what it is called on each surface. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { flagName } from "../cli/names";
import { operations as allOperations, type Declaration } from "../core/operations";
import { callerFields } from "../core/declaration/fields";
import { bySection, sectionTitle } from "../core/declaration/sections";
import { nodeTypeOf } from "../nodes/names";
import { effectSentences, fieldDescription, fieldType } from "./descriptions";
import { errorDescription } from "../core/declaration/operation";

/** No text may end the cell it stands in. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [row(heads), row(heads.map(() => "---")), ...rows.map(row), ""];
}

const overview = (operations: readonly Declaration[]): string[] =>
  table(
    ["Operation", "Effect", "MCP tool", "Node", "Command"],
    operations.map((operation) => [
      `\`${operation.name}\``,
      operation.effect,
      `\`${operation.tool}\``,
      `\`${nodeTypeOf(operation)}\``,
      `\`fxdesk call ${operation.name}\``,
    ]),
  );

function details(operation: Declaration): string[] {
  const { name, title, summary, notes, method, path, effect, rules = [], responses, errors } = operation;
  return [
    `### ${title}`,
    "",
    `\`${name}\`, \`${method} ${path}\`, contract ${operation.contract}. ${effectSentences[effect]}`,
    "",
    [summary, notes].filter(Boolean).join(" "),
    "",
    ...rules.map(({ description }) => `- ${description}`),
    ...(rules.length > 0 ? [""] : []),
    ...table(
      ["Field", "Flag", "Kind", "Meaning"],
      callerFields(operation).map((field) => [
        `\`${field.name}\``,
        `\`--${flagName(field.name)}\``,
        fieldType(field),
        fieldDescription(field),
      ]),
    ),
    ...table(
      ["Status", "Meaning"],
      [
        ...Object.entries(responses).map(([status, { description }]) => [status, description]),
        ...Object.entries(errors).map(([status, failure]) => [status, errorDescription(failure)]),
      ],
    ),
  ];
}

/** The document, as text. */
export function operationsDocument(operations: readonly Declaration[]): string {
  const sections = [...bySection(operations)].flatMap(([section, members]) => [
    `## ${sectionTitle(section)}`,
    "",
    ...overview(members),
    ...members.flatMap(details),
  ]);
  return ["# Operations", "", ...sections].join("\n");
}

export async function writeOperationsDocument(dist: string): Promise<void> {
  const folder = join(dist, "docs");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "operations.md"), operationsDocument(allOperations));
}
