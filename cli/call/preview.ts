/** Renders a request for review before it is sent. */
import type { PreparedCall } from "../../core/call/prepared-call";
import { type Field, generatedCallerFields, fieldsOf } from "../../core/spec/fields";
import { encodeRequest } from "../../core/call/encode-request";
import { flagName } from "../command-line/arguments";

const json = "application/json";

const readable = (mediaType: string | undefined, body: string) =>
  mediaType === json ? JSON.stringify(JSON.parse(body), null, 2) : body;

/** True for headers of no interest in a preview: accepted formats and the JSON content type. */
const isRoutineHeader = ([name, value]: readonly [string, string]) =>
  name === "accept" || name === "accept-encoding" || (name === "content-type" && value === json);

/** Returns the caller's fields that were omitted and therefore generated. */
const generatedFields = ({ operation, values, given }: PreparedCall): readonly Field[] =>
  generatedCallerFields(operation).filter(({ name }) => values[name] !== given[name]);

const generatedLaterNote = ({ name }: Field) =>
  `${name} is generated when the request is sent. Set your own with --${flagName(name)}.`;

/**
 * Renders the request without credentials and generated values. Names the flags that set a generated value, because a
 * preview that changes with each run could not be compared.
 */
export function preview(call: PreparedCall): string {
  const { operation, address, values } = call;
  const generatedLater = generatedFields(call);
  const generated = [
    ...fieldsOf(operation).filter(({ filledBy }) => filledBy === "fxdesk"),
    ...generatedLater,
  ];
  const shownValues = { ...values, ...Object.fromEntries(generated.map(({ name }) => [name, undefined])) };
  const { target, headers, body } = encodeRequest(operation, shownValues);
  const lines = Object.entries(headers)
    .filter((header) => !isRoutineHeader(header))
    .map(([name, value]) => `${name}: ${value}`);
  const content = body === undefined ? [] : ["", readable(headers["content-type"], body)];
  const notes = generatedLater.length > 0 ? ["", ...generatedLater.map(generatedLaterNote)] : [];
  return [`${operation.method} ${address}${target}`, ...lines, ...content, ...notes].join("\n");
}
