/** What a call would send, for a person to read before saying yes. */
import type { PreparedCall } from "../../core/client/prepared-call";
import { type Field, generatedCallerFields, fieldsOf } from "../../core/declaration/fields";
import { encodeRequest } from "../../core/wire/request";
import { flagName } from "../flag-names";

const json = "application/json";

const readable = (mediaType: string | undefined, body: string) =>
  mediaType === json ? JSON.stringify(JSON.parse(body), null, 2) : body;

/** Headers that say nothing to a person: how a response may come, and that what is JSON is JSON. */
const isRoutineHeader = ([name, value]: readonly [string, string]) =>
  name === "accept" || name === "accept-encoding" || (name === "content-type" && value === json);

/** Those of the caller's fields that fxdesk has made because he left them out. */
const generatedFields = ({ operation, values, given }: PreparedCall): readonly Field[] =>
  generatedCallerFields(operation).filter(({ name }) => values[name] !== given[name]);

const generatedLaterNote = ({ name }: Field) =>
  `${name} is made when the call leaves; --${flagName(name)} gives one of yours.`;

/**
 * The request as it would leave, without credentials and without what is made new for each call: of that it says which
 * flags give it.
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
