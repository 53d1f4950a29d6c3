/** Whether values fit an operation, in words that name the field and say what would be right. */
import { valueAt } from "../schema/value-at";
import { z } from "zod";
import { elementOf, type Kind, kindOf, optionsOf } from "../schema/kind";
import { type Callable, type Declaration, fieldsOfRule } from "./operation";
import { callerFields, fieldsOf, type Field, type Values, perOperation } from "./fields";
import { brokenRules } from "./rules";
import { firstUnwritable } from "./writable";
import type { Violation } from "./violation";

const shapeOf = (fields: readonly Field[]) =>
  Object.fromEntries(fields.map(({ name, schema }) => [name, schema]));

/** What the caller gives, strictly: an unknown field is a mistake, not a detail. */
export const inputSchema = perOperation((operation: Callable) =>
  z.strictObject(shapeOf(callerFields(operation))),
);

const scalars: ReadonlySet<Kind> = new Set<Kind>(["number", "integer", "boolean"]);

const isClosedSchema = (schema: z.ZodType): boolean =>
  optionsOf(schema) !== undefined || scalars.has(kindOf(schema));

/** Whether every value that fits can be written. A list is, outside the body, where it is written item by item. */
function isClosed({ schema, place }: Field): boolean {
  const element = place === "body" ? undefined : elementOf(schema);
  return isClosedSchema(element ?? schema);
}

/** How the values of some fields are checked. */
interface Check {
  readonly schema: z.ZodType;
  readonly names: readonly string[];
  /** Of the fields whose schema takes values that cannot be written. */
  readonly openNames: readonly string[];
}

const checkOf = (fields: readonly Field[], schema: z.ZodType): Check => ({
  schema: z.compile(schema),
  names: fields.map(({ name }) => name),
  openNames: fields.filter((field) => !isClosed(field)).map(({ name }) => name),
});

const ofInput = perOperation((operation: Callable) =>
  checkOf(callerFields(operation), inputSchema(operation)),
);
const ofRequest = perOperation((operation) => {
  const fields = fieldsOf(operation);
  return checkOf(fields, z.strictObject(shapeOf(fields)));
});
const ofRest = perOperation((operation) => {
  const fields = fieldsOf(operation).filter(({ by }) => by !== "caller");
  return checkOf(fields, z.object(shapeOf(fields)).partial());
});

function abbreviated(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

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

function messageOf(issue: z.core.$ZodIssue, given: unknown): string {
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
  [...new Set(errors.flatMap(([first]) => (first ? [messageOf(first, given)] : [])))].join(" or ");

const article = (kind: string) => (/^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`);

function violationsFrom(error: z.core.$ZodError, values: unknown, known: readonly string[]): Violation[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        field: path ? `${path}.${key}` : key,
        message:
          path || known.length === 0
            ? "is not a field here"
            : `is not a field here; the fields are ${known.join(", ")}`,
      }));
    const given = valueAt(values, issue.path);
    const message = messageOf(issue, given);
    return [
      { field: path, message: given === undefined ? message : `${message}, not ${abbreviated(given)}` },
    ];
  });
}

/** Whether a value would leave its place in the path: empty, a dot segment, or with a slash in it. */
const escapesPath = (value: unknown): boolean => typeof value === "string" && /^\.{0,2}$|[/\\]/.test(value);

/** Whether a header would lose something of a value: spaces around it, line breaks, what is not ASCII. */
export const outgrowsHeader = (value: unknown): boolean =>
  typeof value === "string" && !/^([!-~]([ -~]*[!-~])?)?$/.test(value);

export const headerText = "must be ASCII text without line breaks, or spaces around it";

const isScalar = (value: unknown): boolean => typeof value !== "object";

/** Whether a value has no one way to be written as text, as an object has none. */
const outgrowsText = (value: unknown): boolean =>
  !(Array.isArray(value) ? value.every(isScalar) : isScalar(value));

/** What a place in the request cannot hold, whatever the schema says. */
interface PlaceRule {
  readonly names: readonly string[];
  readonly refuses: (value: unknown) => boolean;
  readonly message: string;
}

const placeRules = perOperation((operation: Callable): readonly PlaceRule[] => {
  const namesOf = (is: (field: Field) => boolean) =>
    fieldsOf(operation)
      .filter(is)
      .map(({ name }) => name);
  const all: readonly PlaceRule[] = [
    {
      names: namesOf(({ place }) => place === "path"),
      refuses: escapesPath,
      message: "must not be empty, a dot segment, or contain a slash",
    },
    {
      names: namesOf(({ place }) => place === "header"),
      refuses: outgrowsHeader,
      message: headerText,
    },
    {
      names: namesOf(({ place, kind }) => kind === "unknown" && place !== "body" && place !== "document"),
      refuses: outgrowsText,
      message: "must be text, a number, true or false, or a list of these",
    },
  ];
  return all.filter(({ names }) => names.length > 0);
});

/** Runs with every call: no list is made for what fits. */
function misplaced(operation: Callable, values: Values): Violation[] {
  const found: Violation[] = [];
  for (const { names, refuses, message } of placeRules(operation))
    for (const field of names) if (refuses(values[field])) found.push({ field, message });
  return found;
}

const bodyFields = perOperation((operation: Callable) =>
  fieldsOf(operation).filter(({ place }) => place === "body"),
);

/** A document is the whole body: only the fields of its form go along. */
function besideDocument(operation: Callable, values: Values): Violation[] {
  const { document } = operation as Partial<Declaration>;
  if (!document || values[document.name] === undefined) return [];
  const message = `cannot be given with ${document.name}, which is the whole body`;
  return bodyFields(operation)
    .filter(({ name }) => values[name] !== undefined && !document.form?.fields.includes(name))
    .map(({ name }) => ({ field: name, message }));
}

const headOf = ({ field }: Violation): string => field.split(".")[0]!;

/** A rule is judged where its fields fit by themselves. */
function ruleViolations(
  { rules = [] }: Callable,
  values: Values,
  misfits: readonly Violation[],
  now: Date,
): Violation[] {
  if (rules.length === 0) return [];
  const unfit = new Set(misfits.map(headOf));
  const judged =
    unfit.size === 0 ? rules : rules.filter((rule) => !fieldsOfRule(rule).some((each) => unfit.has(each)));
  return brokenRules(judged, values, now).map(({ fields, description: message }) => ({
    field: fields.join(", "),
    message,
    rule: true as const,
  }));
}

function schemaViolations({ schema }: Check, values: unknown, known: readonly string[]): Violation[] {
  const { error } = schema.safeParse(values);
  return error ? violationsFrom(error, values, known) : [];
}

/** What cannot be written. Without an object around it, a value is one that has no name. */
function unwritableIn(names: readonly string[], values: unknown): Violation[] {
  if (typeof values !== "object" || values === null || Array.isArray(values))
    return unwritableIn([""], { "": values });
  const found: Violation[] = [];
  for (const name of names) {
    const flaw = firstUnwritable(values as Values, name);
    if (flaw) found.push({ field: flaw.field, message: flaw.message });
  }
  return found;
}

/**
 * Whether values can be written is asked last, as schemas leave little open. Where they do not fit it is asked of all, and
 * a value that throws as it is read is found so.
 */
function withUnwritable({ names, openNames }: Check, values: unknown, judge: () => Violation[]): Violation[] {
  let misfits: Violation[];
  try {
    misfits = judge();
  } catch (error) {
    const flaws = unwritableIn(names, values);
    if (flaws.length === 0) flaws.push(...unwritableIn([""], { "": values }));
    if (flaws.length === 0) throw error;
    return flaws;
  }
  const flaws = unwritableIn(misfits.length === 0 ? openNames : names, values);
  if (flaws.length === 0) return misfits;
  const unwritable = new Set(flaws.map(headOf));
  return [...flaws, ...misfits.filter((each) => !unwritable.has(headOf(each)))];
}

function violationsOf(
  operation: Callable,
  check: Check,
  values: unknown,
  now: Date,
  known: readonly string[] = [],
): Violation[] {
  return withUnwritable(check, values, () => {
    const given = (values ?? {}) as Values;
    const misfits = schemaViolations(check, values, known);
    const broken = ruleViolations(operation, given, misfits, now);
    return [...misfits, ...misplaced(operation, given), ...besideDocument(operation, given), ...broken];
  });
}

/** What is wrong with a caller's input, before anything is sent; nothing when it fits. */
export function checkInput(operation: Callable, input: unknown, now: Date): Violation[] {
  const check = ofInput(operation);
  return violationsOf(operation, check, input, now, check.names);
}

/** What is wrong with the values of the fields that are not the caller's; one without a value is not looked at. */
export function checkFilledFields(operation: Declaration, values: Values): Violation[] {
  const check = ofRest(operation);
  return withUnwritable(check, values, () => [
    ...schemaViolations(check, values, []),
    ...misplaced(operation, values),
  ]);
}

/** What is wrong with a received request, all its parameters included; nothing when it fits. */
export const checkRequest = (operation: Declaration, values: unknown, now: Date): Violation[] =>
  violationsOf(operation, ofRequest(operation), values, now);
