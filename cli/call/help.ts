/** The help page of an operation, from its declaration. */
import { errorOfResponse } from "../../core/client/call-errors";
import { type Declaration, errorDescription } from "../../core/declaration/operation";
import { callerFields, type Field } from "../../core/declaration/fields";
import { metaOf } from "../../core/schema/kind";
import { exitCodeOf } from "../exit";
import { columns, section } from "../help";
import { flagName } from "../names";
import { longValuesHelp } from "./fields";

/** The exit code with which a documented error ends the command. */
const exitFor = (operation: Declaration, status: number): number =>
  exitCodeOf(errorOfResponse(operation, { status }));

function example(field: Field): string {
  const flag = `--${flagName(field.name)}`;
  if (field.kind === "boolean") return flag;
  const value = field.options?.[0] ?? metaOf(field.schema).examples?.[0] ?? `<${flagName(field.name)}>`;
  return `${flag} ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

function exampleCall(operation: Declaration): string {
  const required = callerFields(operation).filter((field) => field.required);
  const confirmed = operation.effect === "money" ? ["--yes"] : [];
  return ["  fxdesk call", operation.name, ...required.map(example), ...confirmed].join(" ");
}

const effects: Readonly<Record<Declaration["effect"], string>> = {
  read: "Read: changes nothing.",
  change: "Change: changes or asks for something.",
  money: "Money: commits or moves money, or changes who may approve it. Needs --yes.",
};

const rows = (table: readonly (readonly [string, string])[]) =>
  table.length === 0 ? undefined : columns(table);

/** What the page of an operation says below its flags. */
export function operationHelp(operation: Declaration): (string | undefined)[] {
  const { effect, rules = [], responses, errors, contract } = operation;
  const failures = Object.entries(errors).map(([status, failure]): [string, string] => [
    status,
    `${errorDescription(failure)} (exit code ${exitFor(operation, Number(status))})`,
  ]);
  return [
    longValuesHelp(operation),
    effects[effect],
    section("Rules", rows(rules.map(({ description }) => ["-", description] as const))),
    section(
      "Responses",
      rows(Object.entries(responses).map(([status, { description }]) => [status, description] as const)),
    ),
    section("Errors", rows(failures)),
    section("Example", exampleCall(operation)),
    `The connection comes from FXDESK_* variables: see fxdesk call --help. Contract: ${contract}.`,
  ];
}
