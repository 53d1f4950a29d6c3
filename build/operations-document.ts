/** Generates dist/docs/operations.md: all operations, procedures and watches, with their names on each surface. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { flagName, watchCommandName } from "../cli/command-line/arguments";
import { type Callable, declarationsOf } from "../core/operations";
import { fxdeskService } from "../core/client/fxdesk-service";
import type { BodyField } from "../core/spec/describe-body";
import {
  type FieldDoc,
  type ResponseDoc,
  callerFieldDocs,
  introduction,
  type OperationDoc,
  type RequestDoc,
  describeOperation,
} from "../core/spec/describe-operation";
import { isWatch } from "../core/spec/watch";
import { bySection, sectionTitle } from "../core/spec/sections";
import { nodeTypeOf, withQuoteProcedures } from "../nodes/shared/node-names";

/** Escapes the column separator. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;

/** Returns a Markdown table with a final empty line; empty if there are no rows. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [row(headings), row(headings.map(() => "---")), ...rows.map(row), ""];
}

const commandOf = (callable: Callable): string =>
  isWatch(callable) ? `fxdesk watch ${watchCommandName(callable)}` : `fxdesk call ${callable.name}`;

const overview = (operations: readonly Callable[]): string[] =>
  table(
    ["Operation", "Effect", "MCP tool", "Node", "Command"],
    operations.map((operation) => [
      `\`${operation.name}\``,
      operation.effect,
      `\`${operation.tool}\``,
      `\`${nodeTypeOf(operation)}\``,
      `\`${commandOf(operation)}\``,
    ]),
  );

const code = (text: string): string => `\`${text}\``;

/** Returns the type of a field and whether it is required. */
function fieldType({ type, format, requirement, default: fallback }: FieldDoc): string {
  const state = requirement === "by rule" ? "needed by a rule" : requirement;
  return [format ?? type, fallback === undefined ? state : `default ${JSON.stringify(fallback)}`].join(", ");
}

/** Returns the description of a field with its options. */
function fieldMeaning({ description, kind, options }: FieldDoc): string {
  if (!options) return description;
  return `${description} ${kind === "array" ? "Any" : "One"} of ${options.map(code).join(", ")}.`;
}

/** Describes the credentials of a request, and bodies other than JSON. */
function requestNotes({ credentials, bodies }: RequestDoc): string[] {
  const carried = credentials.map(({ name }) => code(name));
  const others = bodies
    .slice(1)
    .map(({ mediaType, fields }) => `${code(mediaType)} of ${fields.map(code).join(", ")}`);
  return [
    ...(carried.length > 0 ? [`Carries the connection's ${carried.join(", ")}.`] : []),
    ...(others.length > 0 ? [`The body is JSON, or ${others.join(", or ")}.`] : []),
  ];
}

const fieldRows = (fields: readonly BodyField[]): string[] =>
  table(
    ["Response field", "Kind", "Meaning"],
    fields.map(({ path, type, description }) => [code(path), type, description]),
  );

/** Returns the fields of a JSON response, below a lead sentence. */
function responseFields(lead: string, { body }: ResponseDoc): string[] {
  const { fields = [], entries } = body ?? {};
  if (fields.length === 0) return [];
  return [
    lead,
    "",
    ...fieldRows(fields),
    ...(entries
      ? [`Each entry of ${entries.paths.map(code).join(", ")}:`, "", ...fieldRows(entries.fields)]
      : []),
  ];
}

const bullets = (list: readonly string[]): string[] =>
  list.length === 0 ? [] : [...list.map((item) => `- ${item}`), ""];

/** Returns the request of an operation, or the operations that a procedure calls. */
const origin = ({ request, uses = [], contract }: OperationDoc): string =>
  request
    ? `${code(`${request.method} ${request.path}`)}, contract ${contract}`
    : uses.length > 0
      ? `calls ${uses.map(code).join(", ")}`
      : "";

/** Returns the tables of responses and errors. */
function outcomes({ responses, errors }: OperationDoc): string[] {
  return [
    ...table(
      ["Status", "Meaning"],
      [...responses, ...errors].map(({ status, description }) => [String(status), description]),
    ),
    ...responses.flatMap((response) =>
      responseFields(`${response.status} returns an ${response.body?.type}:`, response),
    ),
  ];
}

/** Returns the fields of the entries of a watch. */
const changeFields = ({ responses }: OperationDoc): string[] =>
  responses.flatMap((response) => responseFields("Each change has an entry:", response));

function details(callable: Callable): string[] {
  const page = describeOperation(callable);
  const { name, title, effect, paging, rules, request } = page;
  return [
    `### ${title}`,
    "",
    `${[code(name), origin(page)].filter(Boolean).join(", ")}. ${effect.description} ${effect.repetition}`,
    "",
    [introduction(page), paging, ...(request ? requestNotes(request) : [])].filter(Boolean).join(" "),
    "",
    ...bullets(rules.map(({ description }) => description)),
    ...table(
      ["Field", "Flag", "Kind", "Meaning"],
      callerFieldDocs(page).map((field) => [
        code(field.name),
        code(`--${flagName(field.name)}`),
        fieldType(field),
        fieldMeaning(field),
      ]),
    ),
    ...(isWatch(callable) ? changeFields : outcomes)(page),
  ];
}

/** Returns the document as text. */
export function operationsDocument(operations: readonly Callable[]): string {
  const sections = [...bySection(operations)].flatMap(([section, members]) => [
    `## ${sectionTitle(section, members)}`,
    "",
    ...overview(members),
    ...members.flatMap(details),
  ]);
  return ["# Operations", "", ...sections].join("\n");
}

export async function writeOperationsDocument(dist: string): Promise<void> {
  const folder = join(dist, "docs");
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, "operations.md"),
    operationsDocument(declarationsOf(withQuoteProcedures(fxdeskService))),
  );
}
