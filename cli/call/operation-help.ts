/** Renders the help of an operation from its description. */
import { toResponseError } from "../../core/call/call-errors";
import type { Callable } from "../../core/spec/operation";
import {
  type EffectDoc,
  type FieldDoc,
  callerFieldDocs,
  type OperationDoc,
  describeOperation,
} from "../../core/spec/describe-operation";
import { paragraph, section } from "../command-line/command";
import { exitCodeOf } from "../command-line/exit-codes";
import { flagName } from "../command-line/arguments";
import { longValuesHelp } from "./field-flags";

/** Returns the exit code of the command for a documented HTTP error. */
const exitCodeForStatus = (operation: Callable, status: number): number =>
  exitCodeOf(toResponseError(operation, { status }));

function flagExample(field: FieldDoc): string {
  const flag = `--${flagName(field.name)}`;
  if (field.kind === "boolean") return flag;
  const value = field.options?.[0] ?? field.example ?? `<${flagName(field.name)}>`;
  return `${flag} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

/** Returns an example command with all required fields. */
export function exampleOf(command: string, page: OperationDoc): string {
  const required = callerFieldDocs(page).filter(({ requirement }) => requirement === "required");
  const confirmed = page.effect.kind === "money" ? ["--yes"] : [];
  return [`  ${command}`, ...required.map(flagExample), ...confirmed].join(" ");
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
