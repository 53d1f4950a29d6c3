/** Validation of the values of a call. Messages name the field and the allowed values. */
import { isProcedure } from "./procedure";
import { isObject, valueAt } from "../values/json";
import { z } from "zod";
import { type Callable, type Declaration, fieldsOfRule } from "./operation";
import { callerFields, fieldsOf, type Field, type Values, memoizePerOperation } from "./fields";
import { brokenRules } from "./rules";
import { findUnwritable } from "./writable";
import type { Violation } from "./errors";
import { amountProblem } from "../values/amount-text";

const shapeOf = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));

/** Returns the schema of the caller's input. Strict, because an unknown field is usually a misspelt one. */
export const inputSchema = memoizePerOperation((operation: Callable) =>
  z.strictObject(shapeOf(callerFields(operation))),
);

interface FieldCheck {
  readonly schema: z.ZodType;
  readonly names: readonly string[];
}

const fieldCheck = (fields: readonly Field[], schema: z.ZodType): FieldCheck => ({
  schema: z.compile(schema),
  names: fields.map(({ name }) => name),
});

const inputCheckOf = memoizePerOperation((operation: Callable) =>
  fieldCheck(callerFields(operation), inputSchema(operation)),
);
const requestCheckOf = memoizePerOperation((operation) => {
  const fields = fieldsOf(operation);
  return fieldCheck(fields, z.strictObject(shapeOf(fields)));
});
const filledFieldsCheckOf = memoizePerOperation((operation) => {
  const fields = fieldsOf(operation).filter(({ filledBy }) => filledBy !== "caller");
  return fieldCheck(fields, z.object(shapeOf(fields)).partial());
});

function abbreviate(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Units of length limits by type. Numbers have none. */
const lengthUnits: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

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
      if (given === undefined) return "is required";
      return (
        (issue.expected === "number" ? amountProblem(given) : undefined) ??
        `must be ${withArticle(issue.expected)}`
      );
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

/** Joins the first problem of each alternative of a union. Alternatives of another type count only if no other is left. */
function alternativesMessage({ errors }: z.core.$ZodIssueInvalidUnion, given: unknown): string {
  const found = errors.flatMap(([first]) => first ?? []);
  const ofType = found.filter(({ code }) => code !== "invalid_type");
  return [...new Set((ofType.length > 0 ? ofType : found).map((each) => toMessage(each, given)))].join(
    " or ",
  );
}

const withArticle = (kind: string) => (/^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`);

function toViolations(error: z.core.$ZodError, values: unknown, knownFields: readonly string[]): Violation[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        field: path ? `${path}.${key}` : key,
        message:
          path || knownFields.length === 0
            ? "is not a known field"
            : `is not a known field; the fields are ${knownFields.join(", ")}`,
      }));
    const given = valueAt(values, issue.path);
    const message = toMessage(issue, given);
    return [{ field: path, message: given === undefined ? message : `${message}, not ${abbreviate(given)}` }];
  });
}

/** True if the value would change the path itself: empty, a dot segment, or with a slash. */
const escapesPath = (value: unknown): boolean => typeof value === "string" && /^\.{0,2}$|[/\\]/.test(value);

/** True if a header cannot carry the value unchanged: outer spaces, line breaks, or characters outside ASCII. */
export const isUnsafeInHeader = (value: unknown): boolean =>
  typeof value === "string" && !/^([!-~]([ -~]*[!-~])?)?$/.test(value);

export const headerMessage = "must be ASCII text without line breaks or surrounding spaces";

const isScalar = (value: unknown): boolean => typeof value !== "object";

/** True if the value has no unambiguous text form, for example an object. */
const hasNoTextForm = (value: unknown): boolean =>
  !(Array.isArray(value) ? value.every(isScalar) : isScalar(value));

/** Returns the reason why the location of a field cannot carry a value, whatever its schema; undefined if it can. */
function locationProblem({ location, kind }: Field, value: unknown): string | undefined {
  if (location === "path" && escapesPath(value))
    return "must not be empty, a dot segment, or contain a slash";
  if (location === "header" && isUnsafeInHeader(value)) return headerMessage;
  const isText = location !== "body" && location !== "document";
  return isText && kind === "unknown" && hasNoTextForm(value)
    ? "must be text, a number, true or false, or a list of these"
    : undefined;
}

const locationViolations = (operation: Callable, values: Values): Violation[] =>
  fieldsOf(operation).flatMap((field) => {
    const message = locationProblem(field, values[field.name]);
    return message === undefined ? [] : [{ field: field.name, message }];
  });

/** Returns body fields that must not be given together with a document. */
function documentViolations(operation: Callable, values: Values): Violation[] {
  const { document } = operation as Partial<Declaration>;
  if (!document || values[document.name] === undefined) return [];
  const message = `cannot be combined with ${document.name}, which is the whole body`;
  return fieldsOf(operation)
    .filter(({ location, name }) => location === "body" && values[name] !== undefined)
    .filter(({ name }) => !document.form?.fields.includes(name))
    .map(({ name }) => ({ field: name, message }));
}

const topLevelField = ({ field }: Violation): string => field.split(".")[0]!;

/** Returns broken rules. Rules with an invalid field are skipped. */
function ruleViolations(
  { rules = [] }: Callable,
  values: Values,
  fieldViolations: readonly Violation[],
  now: Date,
): Violation[] {
  const invalidFields = new Set(fieldViolations.map(topLevelField));
  const applicableRules = rules.filter((rule) => !fieldsOfRule(rule).some((each) => invalidFields.has(each)));
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

/** Returns values that cannot be encoded. A value that is not an object is checked as a field without a name. */
function unwritableViolations(names: readonly string[], values: unknown): Violation[] {
  const hasFields = isObject(values);
  const [fields, given] = hasFields && names.length > 0 ? [names, values] : [[""], { "": values }];
  return fields.flatMap((name) => findUnwritable(given as Values, name) ?? []);
}

/** Puts the values that cannot be encoded before the violations of other fields. Those may also throw when read. */
function withUnwritableViolations(
  { names }: FieldCheck,
  values: unknown,
  check: () => Violation[],
): Violation[] {
  const unwritable = unwritableViolations(names, values);
  const unwritableFields = new Set(unwritable.map(topLevelField));
  try {
    return [...unwritable, ...check().filter((each) => !unwritableFields.has(topLevelField(each)))];
  } catch (error) {
    if (unwritable.length === 0) throw error;
    return unwritable;
  }
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
    return [
      ...fieldViolations,
      ...locationViolations(operation, given),
      ...documentViolations(operation, given),
      ...ruleViolations(operation, given, fieldViolations, now),
    ];
  });
}

/** Returns the violations of a caller's input; empty if it is valid. */
export function checkInput(operation: Callable, input: unknown, now: Date): Violation[] {
  const check = inputCheckOf(operation);
  return checkValues(operation, check, input, now, check.names);
}

/** Returns the violations of fields that the caller does not fill. Missing values are ignored. */
export function checkFilledFields(operation: Declaration, values: Values): Violation[] {
  const check = filledFieldsCheckOf(operation);
  return withUnwritableViolations(check, values, () => [
    ...schemaViolations(check, values, []),
    ...locationViolations(operation, values),
  ]);
}

/** Returns the violations of a received request with all its parameters; empty if it is valid. */
export const checkRequest = (operation: Declaration, values: unknown, now: Date): Violation[] =>
  checkValues(operation, requestCheckOf(operation), values, now);

const maxKeyLength = 200;

/** Returns the problem with a key, or undefined if it is valid. */
export function keyViolation(key: unknown): string | undefined {
  const fits =
    typeof key === "string" && key.length <= maxKeyLength && /^\P{C}+$/u.test(key) && key.trim() !== "";
  return fits ? undefined : `must be text of 1 to ${maxKeyLength} characters, without control characters`;
}

/**
 * True if the caller must provide a key: the ID of the result is known only from the response, no lookup shows
 * afterwards whether the call was carried out, and no input field is single-use. Procedures set keys for their calls
 * themselves.
 */
export const requiresKey = (callable: Callable): boolean => {
  const { effect, identifiedBy, lookup, singleUseField } = callable;
  const canDetectRepeat = lookup !== undefined || singleUseField !== undefined || isProcedure(callable);
  return effect === "money" && identifiedBy !== undefined && !canDetectRepeat;
};
