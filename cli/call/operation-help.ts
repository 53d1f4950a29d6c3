/** Renders the help of an operation from its description. */
import type { z } from "zod";
import { toResponseError } from "../../core/call/call-errors";
import type { Callable } from "../../core/spec/operation";
import {
  type EffectDoc,
  type FieldDoc,
  callerFieldDocs,
  type OperationDoc,
  describeOperation,
} from "../../core/spec/describe-operation";
import { brokenRules } from "../../core/spec/rules";
import { elementOf, isRequired, optionsOf, shapeOf } from "../../core/values/kind";
import { paragraph, section } from "../command-line/command";
import { exitCodeOf } from "../command-line/exit-codes";
import { flagName } from "../command-line/arguments";
import { longValuesHelp } from "./field-flags";

/** Returns the exit code of the command for a documented HTTP error. */
const exitCodeForStatus = (operation: Callable, status: number): number =>
  exitCodeOf(toResponseError(operation, { status }));

/** Returns an example of a value: with objects of their required fields, or of the first one. */
function exampleValue(name: string, schema: z.ZodType, field: Partial<FieldDoc> = {}): unknown {
  const element = elementOf(schema);
  if (element && !optionsOf(element)) return [exampleValue(name, element)];
  const shape = Object.entries(shapeOf(schema));
  const required = shape.filter(([, inner]) => isRequired(inner));
  if (shape.length === 0)
    return (field.options ?? optionsOf(schema))?.[0] ?? field.example ?? `<${flagName(name)}>`;
  return Object.fromEntries(
    (required.length > 0 ? required : shape.slice(0, 1)).map(([key, inner]) => [
      key,
      exampleValue(key, inner),
    ]),
  );
}

function flagExample({ name, kind }: FieldDoc, value: unknown): string {
  const flag = `--${flagName(name)}`;
  if (kind === "boolean") return flag;
  return `${flag} ${typeof value === "object" ? `'${JSON.stringify(value)}'` : String(value)}`;
}

/** Returns an example command with the fields that are required, or needed by a rule. */
export function exampleOf(command: string, page: OperationDoc): string {
  const fields = callerFieldDocs(page);
  const values: Record<string, unknown> = {};
  const add = (names: readonly string[]) => {
    for (const field of fields.filter(({ name }) => names.includes(name)))
      values[field.name] ??= exampleValue(field.name, field.schema, field);
  };
  add(fields.filter(({ requirement }) => requirement === "required").map(({ name }) => name));
  for (const rule of page.rules)
    if (brokenRules([rule], values, new Date()).length > 0)
      add(/^(exactly|at-least)-one$/.test(rule.kind) ? rule.fields.slice(0, 1) : rule.fields);
  const flags = fields.flatMap((field) =>
    values[field.name] === undefined ? [] : [flagExample(field, values[field.name])],
  );
  const confirmed = page.effect.kind === "money" ? ["--yes"] : [];
  return [`  ${command}`, ...flags, ...confirmed].join(" ");
}

const effectHelp = ({ kind, description, repetition }: EffectDoc): string =>
  paragraph(
    [`Effect: ${kind}.`, description, repetition, kind === "money" && "Requires --yes."]
      .filter(Boolean)
      .join(" "),
  );

export const rulesHelp = ({ rules }: Pick<OperationDoc, "rules">): string | undefined =>
  section(
    "Rules",
    rules.map(({ description }) => ["-", description] as const),
  );

/** Returns the help sections below the flags. */
export function operationHelp(operation: Callable): (string | undefined)[] {
  const page = describeOperation(operation);
  const { effect, responses, errors, contract } = page;
  const failures = errors.map(
    ({ status, description }) =>
      [String(status), `${description} (exit code ${exitCodeForStatus(operation, status)})`] as const,
  );
  return [
    longValuesHelp(operation),
    effectHelp(effect),
    rulesHelp(page),
    section(
      "Responses",
      responses.map(({ status, description }) => [String(status), description] as const),
    ),
    section("Errors", failures),
    section("Example", exampleOf(`fxdesk call ${page.name}`, page)),
    `Connection settings are FXDESK_* variables: see fxdesk call --help. ${contract && `Contract: ${contract}.`}`.trim(),
  ];
}
