/** Whether values fit an operation, in words that name the field and say what would be right. */
import { valueAt } from "../schema/value-at";
import { z } from "zod";
import { elementOf, type Kind, kindOf, optionsOf } from "../schema/kind";
import { type Callable, type Declaration, fieldsOfRule } from "./operation";
import { callerFields, fieldsOf, type Field, type Values, memoizePerOperation } from "./fields";
import { brokenRules } from "./rules";
import { findUnwritable } from "./writable";
import type { Violation } from "./violation";

const shapeOf = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));

/** What the caller gives, strictly: an unknown field is a mistake, not a detail. */
export const inputSchema = memoizePerOperation((operation: Callable) =>
  z.strictObject(shapeOf(callerFields(operation))),
);

const scalars: ReadonlySet<Kind> = new Set<Kind>(["number", "integer", "boolean"]);

const acceptsOnlyWritable = (schema: z.ZodType): boolean =>
  optionsOf(schema) !== undefined || scalars.has(kindOf(schema));

/** Whether every value that fits can be written. A list is, outside the body, where it is written item by item. */
function fieldAcceptsOnlyWritable({ schema, location }: Field): boolean {
  const element = location === "body" ? undefined : elementOf(schema);
  return acceptsOnlyWritable(element ?? schema);
}

/** How the values of some fields are checked. */
interface FieldCheck {
  readonly schema: z.ZodType;
  readonly names: readonly string[];
  /** Of the fields whose schema takes values that cannot be written. */
  readonly uncheckedNames: readonly string[];
}

const compileCheck = (fields: readonly Field[], schema: z.ZodType): FieldCheck => ({
  schema: z.compile(schema),
  names: fields.map(({ name }) => name),
  uncheckedNames: fields.filter((field) => !fieldAcceptsOnlyWritable(field)).map(({ name }) => name),
});

const inputCheckOf = memoizePerOperation((operation: Callable) =>
  compileCheck(callerFields(operation), inputSchema(operation)),
);
const requestCheckOf = memoizePerOperation((operation) => {
  const fields = fieldsOf(operation);
  return compileCheck(fields, z.strictObject(shapeOf(fields)));
});
const filledFieldsCheckOf = memoizePerOperation((operation) => {
  const fields = fieldsOf(operation).filter(({ filledBy }) => filledBy !== "caller");
  return compileCheck(fields, z.object(shapeOf(fields)).partial());
});

function abbreviate(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** What a limit counts, by what it limits; a number is its own measure. */
const lengthUnits: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

/** How a bound is called when it fits itself, and when it does not. */
const boundWords = {
  too_small: { inclusive: "at least", exclusive: "more than" },
  too_big: { inclusive: "at most", exclusive: "less than" },
} as const;

function limitMessage(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const { code, origin, exact, inclusive = true } = issue;
  const bound = code === "too_small" ? issue.minimum : issue.maximum;
  const word = exact ? "exactly" : boundWords[code][inclusive ? "inclusive" : "exclusive"];
  const unit = lengthUnits[origin];
  return unit ? `must have ${word} ${bound}${unit}` : `must be ${word} ${bound}`;
}

const oneOf = (values: readonly unknown[]) => `${values.length > 1 ? "one of " : ""}${values.join(", ")}`;

function toMessage(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return given === undefined ? "is required" : `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return given === undefined ? `is required: ${oneOf(issue.values)}` : `must be ${oneOf(issue.values)}`;
    case "invalid_union":
      return given === undefined ? "is required" : alternativesMessage(issue, given);
    case "too_small":
    case "too_big":
      return limitMessage(issue);
    case "invalid_format":
    case "custom":
      return issue.message;
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}

/** What each way to give the value asks for, in its first complaint. */
const alternativesMessage = ({ errors }: z.core.$ZodIssueInvalidUnion, given: unknown): string =>
  [...new Set(errors.flatMap(([first]) => (first ? [toMessage(first, given)] : [])))].join(" or ");

const withArticle = (kind: string) => (/^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`);

function toViolations(error: z.core.$ZodError, values: unknown, knownFields: readonly string[]): Violation[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        field: path ? `${path}.${key}` : key,
        message:
          path || knownFields.length === 0
            ? "is not a field here"
            : `is not a field here; the fields are ${knownFields.join(", ")}`,
      }));
    const given = valueAt(values, issue.path);
    const message = toMessage(issue, given);
    return [{ field: path, message: given === undefined ? message : `${message}, not ${abbreviate(given)}` }];
  });
}

/** Whether a value would leave its place in the path: empty, a dot segment, or with a slash in it. */
const escapesPath = (value: unknown): boolean => typeof value === "string" && /^\.{0,2}$|[/\\]/.test(value);

/** Whether a header would lose something of a value: spaces around it, line breaks, what is not ASCII. */
export const isUnsafeInHeader = (value: unknown): boolean =>
  typeof value === "string" && !/^([!-~]([ -~]*[!-~])?)?$/.test(value);

export const headerMessage = "must be ASCII text without line breaks, or spaces around it";

const isScalar = (value: unknown): boolean => typeof value !== "object";

/** Whether a value has no one way to be written as text, as an object has none. */
const hasNoTextForm = (value: unknown): boolean =>
  !(Array.isArray(value) ? value.every(isScalar) : isScalar(value));

/** What a place in the request cannot hold, whatever the schema says. */
interface LocationRule {
  readonly names: readonly string[];
  readonly isInvalid: (value: unknown) => boolean;
  readonly message: string;
}

const locationRules = memoizePerOperation((operation: Callable): readonly LocationRule[] => {
  const namesOf = (matches: (field: Field) => boolean) =>
    fieldsOf(operation)
      .filter(matches)
      .map(({ name }) => name);
  const all: readonly LocationRule[] = [
    {
      names: namesOf(({ location }) => location === "path"),
      isInvalid: escapesPath,
      message: "must not be empty, a dot segment, or contain a slash",
    },
    {
      names: namesOf(({ location }) => location === "header"),
      isInvalid: isUnsafeInHeader,
      message: headerMessage,
    },
    {
      names: namesOf(
        ({ location, kind }) => kind === "unknown" && location !== "body" && location !== "document",
      ),
      isInvalid: hasNoTextForm,
      message: "must be text, a number, true or false, or a list of these",
    },
  ];
  return all.filter(({ names }) => names.length > 0);
});

/** Runs with every call: no list is made for what fits. */
function locationViolations(operation: Callable, values: Values): Violation[] {
  const violations: Violation[] = [];
  for (const { names, isInvalid, message } of locationRules(operation))
    for (const field of names) if (isInvalid(values[field])) violations.push({ field, message });
  return violations;
}

const bodyFields = memoizePerOperation((operation: Callable) =>
  fieldsOf(operation).filter(({ location }) => location === "body"),
);

/** A document is the whole body: only the fields of its form go along. */
function documentViolations(operation: Callable, values: Values): Violation[] {
  const { document } = operation as Partial<Declaration>;
  if (!document || values[document.name] === undefined) return [];
  const message = `cannot be given with ${document.name}, which is the whole body`;
  return bodyFields(operation)
    .filter(({ name }) => values[name] !== undefined && !document.form?.fields.includes(name))
    .map(({ name }) => ({ field: name, message }));
}

const topLevelField = ({ field }: Violation): string => field.split(".")[0]!;

/** A rule is judged where its fields fit by themselves. */
function ruleViolations(
  { rules = [] }: Callable,
  values: Values,
  fieldViolations: readonly Violation[],
  now: Date,
): Violation[] {
  if (rules.length === 0) return [];
  const invalidFields = new Set(fieldViolations.map(topLevelField));
  const applicableRules =
    invalidFields.size === 0
      ? rules
      : rules.filter((rule) => !fieldsOfRule(rule).some((each) => invalidFields.has(each)));
  return brokenRules(applicableRules, values, now).map(({ fields, description: message }) => ({
    field: fields.join(", "),
    message,
    rule: true as const,
  }));
}

function schemaViolations({ schema }: FieldCheck, values: unknown, known: readonly string[]): Violation[] {
  const { error } = schema.safeParse(values);
  return error ? toViolations(error, values, known) : [];
}

/** What cannot be written. Without an object around it, a value is one that has no name. */
function unwritableViolations(names: readonly string[], values: unknown): Violation[] {
  if (typeof values !== "object" || values === null || Array.isArray(values))
    return unwritableViolations([""], { "": values });
  const violations: Violation[] = [];
  for (const name of names) {
    const problem = findUnwritable(values as Values, name);
    if (problem) violations.push({ field: problem.field, message: problem.message });
  }
  return violations;
}

/**
 * Whether values can be written is asked last, as schemas leave little open. Where they do not fit it is asked of all, and
 * a value that throws as it is read is found so.
 */
function withUnwritableViolations(
  { names, uncheckedNames }: FieldCheck,
  values: unknown,
  check: () => Violation[],
): Violation[] {
  let violations: Violation[];
  try {
    violations = check();
  } catch (error) {
    const unwritable = unwritableViolations(names, values);
    if (unwritable.length === 0) unwritable.push(...unwritableViolations([""], { "": values }));
    if (unwritable.length === 0) throw error;
    return unwritable;
  }
  const unwritable = unwritableViolations(violations.length === 0 ? uncheckedNames : names, values);
  if (unwritable.length === 0) return violations;
  const unwritableFields = new Set(unwritable.map(topLevelField));
  return [...unwritable, ...violations.filter((each) => !unwritableFields.has(topLevelField(each)))];
}

function checkValues(
  operation: Callable,
  check: FieldCheck,
  values: unknown,
  now: Date,
  known: readonly string[] = [],
): Violation[] {
  return withUnwritableViolations(check, values, () => {
    const given = (values ?? {}) as Values;
    const fieldViolations = schemaViolations(check, values, known);
    const ruleErrors = ruleViolations(operation, given, fieldViolations, now);
    return [
      ...fieldViolations,
      ...locationViolations(operation, given),
      ...documentViolations(operation, given),
      ...ruleErrors,
    ];
  });
}

/** What is wrong with a caller's input, before anything is sent; nothing when it fits. */
export function checkInput(operation: Callable, input: unknown, now: Date): Violation[] {
  const check = inputCheckOf(operation);
  return checkValues(operation, check, input, now, check.names);
}

/** What is wrong with the values of the fields that are not the caller's; one without a value is not looked at. */
export function checkFilledFields(operation: Declaration, values: Values): Violation[] {
  const check = filledFieldsCheckOf(operation);
  return withUnwritableViolations(check, values, () => [
    ...schemaViolations(check, values, []),
    ...locationViolations(operation, values),
  ]);
}

/** What is wrong with a received request, all its parameters included; nothing when it fits. */
export const checkRequest = (operation: Declaration, values: unknown, now: Date): Violation[] =>
  checkValues(operation, requestCheckOf(operation), values, now);
