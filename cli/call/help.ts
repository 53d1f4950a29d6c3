/** The help page of an operation, from its described page. */
import { errorOfResponse } from "../../core/client/call-errors";
import type { Callable } from "../../core/declaration/operation";
import {
  type DescribedEffect,
  type DescribedField,
  inputFields,
  type DescribedPage,
  pageOf,
} from "../../core/declaration/described-page";
import { exitCodeOf } from "../exit";
import { columns, paragraph, section } from "../help";
import { flagName } from "../names";
import { longValuesHelp } from "./fields";

/** The exit code with which a documented error ends the command. */
const exitFor = (operation: Callable, status: number): number =>
  exitCodeOf(errorOfResponse(operation, { status }));

function example(field: DescribedField): string {
  const flag = `--${flagName(field.name)}`;
  if (field.kind === "boolean") return flag;
  const value = field.options?.[0] ?? field.example ?? `<${flagName(field.name)}>`;
  return `${flag} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

/** A command with what must be given. */
export function exampleOf(command: string, page: DescribedPage): string {
  const required = inputFields(page).filter(({ need }) => need === "required");
  const confirmed = page.effect.kind === "money" ? ["--yes"] : [];
  return [`  ${command}`, ...required.map(example), ...confirmed].join(" ");
}

const effectHelp = ({ kind, description, repetition }: DescribedEffect): string =>
  paragraph(
    [`Effect: ${kind}.`, description, repetition, kind === "money" && "Needs --yes."]
      .filter(Boolean)
      .join(" "),
  );

export const rows = (table: readonly (readonly [string, string])[]) =>
  table.length === 0 ? undefined : columns(table);

/** What the page of an operation says below its flags. */
export function operationHelp(operation: Callable): (string | undefined)[] {
  const page = pageOf(operation);
  const { effect, rules, responses, errors, contract } = page;
  const failures = errors.map(({ status, description }): [string, string] => [
    String(status),
    `${description} (exit code ${exitFor(operation, status)})`,
  ]);
  return [
    longValuesHelp(operation),
    effectHelp(effect),
    section("Rules", rows(rules.map(({ description }) => ["-", description] as const))),
    section(
      "Responses",
      rows(responses.map(({ status, description }) => [String(status), description] as const)),
    ),
    section("Errors", rows(failures)),
    section("Example", exampleOf(`fxdesk call ${page.name}`, page)),
    `The connection comes from FXDESK_* variables: see fxdesk call --help. ${contract && `Contract: ${contract}.`}`.trim(),
  ];
}
