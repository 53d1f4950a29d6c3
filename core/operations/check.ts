/** Whether values fit an operation, in words that name the field and say what would be right. */
import { z } from "zod";
import { type Declaration, fieldsOfRule } from "./declaration";
import { callerFields, fieldsOf, type Field } from "./fields";
import { perOperation } from "./memo";
import { brokenRules } from "./rules";

export type Values = Readonly<Record<string, unknown>>;

/** One thing wrong with the values: where, and what would be right. */
export interface Problem {
  /** The field, with the path inside it where it is an object or an array: `payments.0.creditorName`. */
  readonly field: string;
  readonly says: string;
  /** Set where it is a rule over several fields: `says` is a sentence and names them itself. */
  readonly rule?: true;
}

const sentence = ({ field, says, rule }: Problem) =>
  (rule || !field ? says : `${field} ${says}`).replace(/\.?$/, ".");

/** What is wrong, for a person to read: a sentence for each problem. */
export const inWords = (found: readonly Problem[]): string => found.map(sentence).join(" ");

const shapeOf = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));

/** What the caller gives, strictly: an unknown field is a mistake, not a detail. */
export const inputSchema = perOperation((operation) => z.strictObject(shapeOf(callerFields(operation))));

const callerNames = perOperation((operation) => callerFields(operation).map(({ name }) => name));
const compiledInput = perOperation((operation) => z.compile(inputSchema(operation)));
const compiledRequest = perOperation((operation) => z.compile(z.strictObject(shapeOf(fieldsOf(operation)))));
const compiledRest = perOperation((operation) =>
  z.compile(z.object(shapeOf(fieldsOf(operation).filter(({ by }) => by !== "caller"))).partial()),
);

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

const at = (values: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], values);

/** What a limit counts, by what it limits; a number is its own measure. */
const counted: Readonly<Record<string, string>> = { string: " characters", array: " entries" };

/** How a bound is called when it fits itself, and when it does not. */
const boundWords = {
  too_small: { inclusive: "at least", exclusive: "more than" },
  too_big: { inclusive: "at most", exclusive: "less than" },
} as const;

function limit(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const { code, origin, exact, inclusive = true } = issue;
  const bound = code === "too_small" ? issue.minimum : issue.maximum;
  const word = exact ? "exactly" : boundWords[code][inclusive ? "inclusive" : "exclusive"];
  const unit = counted[origin];
  return unit ? `must have ${word} ${bound}${unit}` : `must be ${word} ${bound}`;
}

const oneOf = (values: readonly unknown[]) => `${values.length > 1 ? "one of " : ""}${values.join(", ")}`;

function wording(issue: z.core.$ZodIssue, given: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return given === undefined ? "is required" : `must be ${article(issue.expected)}`;
    case "invalid_value":
      return given === undefined ? `is required: ${oneOf(issue.values)}` : `must be ${oneOf(issue.values)}`;
    case "invalid_union":
      return given === undefined ? "is required" : alternatives(issue, given);
    case "too_small":
    case "too_big":
      return limit(issue);
    case "invalid_format":
    case "custom":
      return issue.message;
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}

/** What each way to give the value asks for, in its first complaint. */
const alternatives = ({ errors }: z.core.$ZodIssueInvalidUnion, given: unknown): string =>
  [...new Set(errors.flatMap(([first]) => (first ? [wording(first, given)] : [])))].join(" or ");

const article = (kind: string) => (/^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`);

function problemsFrom(error: z.core.$ZodError, values: unknown, known: readonly string[]): Problem[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        field: path ? `${path}.${key}` : key,
        says:
          path || known.length === 0
            ? "is not a field here"
            : `is not a field here; the fields are ${known.join(", ")}`,
      }));
    const given = at(values, issue.path);
    const says = wording(issue, given);
    return [{ field: path, says: given === undefined ? says : `${says}, not ${shown(given)}` }];
  });
}

/** Whether a value would leave its place in the path: empty, a dot segment, or with a slash in it. */
const escapesPath = (value: unknown): boolean => typeof value === "string" && /^\.{0,2}$|[/\\]/.test(value);

/** Whether a header would lose something of a value: spaces around it, line breaks, what is not ASCII. */
const outgrowsHeader = (value: unknown): boolean =>
  typeof value === "string" && !/^([!-~]([ -~]*[!-~])?)?$/.test(value);

const ofPlace = (place: Field["place"]) =>
  perOperation((operation) => fieldsOf(operation).filter((field) => field.place === place));
const pathFields = ofPlace("path");
const headerFields = ofPlace("header");
const bodyFields = ofPlace("body");

const isNoPath = "must not be empty, a dot segment, or contain a slash";
const isNoHeader = "must be ASCII text without line breaks, or spaces around it";

/** What the place in the request cannot hold, whatever the schema says. */
const misplaced = (operation: Declaration, values: Values): Problem[] => [
  ...pathFields(operation)
    .filter(({ name }) => escapesPath(values[name]))
    .map(({ name }) => ({ field: name, says: isNoPath })),
  ...headerFields(operation)
    .filter(({ name }) => outgrowsHeader(values[name]))
    .map(({ name }) => ({ field: name, says: isNoHeader })),
];

/** A document is the whole body: only the fields of its form go along. */
function besideDocument(operation: Declaration, values: Values): Problem[] {
  const { document } = operation;
  if (!document || values[document.name] === undefined) return [];
  const says = `cannot be given with ${document.name}, which is the whole body`;
  return bodyFields(operation)
    .filter(({ name }) => values[name] !== undefined && !document.form?.fields.includes(name))
    .map(({ name }) => ({ field: name, says }));
}

/** A rule is judged where its fields fit by themselves. */
function problems(
  operation: Declaration,
  schema: z.ZodType,
  values: unknown,
  now: Date,
  known: readonly string[] = [],
): Problem[] {
  const result = schema.safeParse(values);
  const given = (values ?? {}) as Values;
  const misfits = result.success ? [] : problemsFrom(result.error, values, known);
  const unfit = new Set(misfits.map(({ field }) => field.split(".")[0]));
  const judged = (operation.rules ?? []).filter(
    (rule) => !fieldsOfRule(rule).some((each) => unfit.has(each)),
  );
  const broken = brokenRules(judged, given, now).map(({ fields, says }) => ({
    field: fields.join(", "),
    says,
    rule: true as const,
  }));
  return [...misfits, ...misplaced(operation, given), ...besideDocument(operation, given), ...broken];
}

/** What is wrong with a caller's input, before anything is sent; nothing when it fits. */
export const checkInput = (operation: Declaration, input: unknown, now: Date): Problem[] =>
  problems(operation, compiledInput(operation), input, now, callerNames(operation));

/** What is wrong with the values of the fields that are not the caller's; one without a value is not looked at. */
export function checkRest(operation: Declaration, values: Values): Problem[] {
  const { error } = compiledRest(operation).safeParse(values);
  return [...(error ? problemsFrom(error, values, []) : []), ...misplaced(operation, values)];
}

/** What is wrong with a received request, all its parameters included; nothing when it fits. */
export const checkRequest = (operation: Declaration, values: unknown, now: Date): Problem[] =>
  problems(operation, compiledRequest(operation), values, now);
