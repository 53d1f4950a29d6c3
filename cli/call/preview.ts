/** What a call would send, for a person to read before saying yes. */
import type { PreparedCall } from "../../core/client/prepared-call";
import { type Field, fieldsMadeForCaller, fieldsOf } from "../../core/declaration/fields";
import { encodeRequest } from "../../core/wire/request";
import { flagName } from "../names";

const json = "application/json";

const readable = (mediaType: string | undefined, body: string) =>
  mediaType === json ? JSON.stringify(JSON.parse(body), null, 2) : body;

/** Headers that say nothing to a person: how a response may come, and that what is JSON is JSON. */
const saysNothing = ([name, value]: readonly [string, string]) =>
  name === "accept" || name === "accept-encoding" || (name === "content-type" && value === json);

/** Those of the caller's fields that fxdesk has made because he left them out. */
const madeForCaller = ({ operation, values, given }: PreparedCall): readonly Field[] =>
  fieldsMadeForCaller(operation).filter(({ name }) => values[name] !== given[name]);

const madeLater = ({ name }: Field) =>
  `${name} is made when the call leaves; --${flagName(name)} gives one of yours.`;

/**
 * The request as it would leave, without credentials and without what is made new for each call: of that it says which
 * flags give it.
 */
export function preview(call: PreparedCall): string {
  const { operation, address, values } = call;
  const later = madeForCaller(call);
  const made = [...fieldsOf(operation).filter(({ by }) => by === "fxdesk"), ...later];
  const known = { ...values, ...Object.fromEntries(made.map(({ name }) => [name, undefined])) };
  const { target, headers, body } = encodeRequest(operation, known);
  const lines = Object.entries(headers)
    .filter((header) => !saysNothing(header))
    .map(([name, value]) => `${name}: ${value}`);
  const content = body === undefined ? [] : ["", readable(headers["content-type"], body)];
  const notes = later.length > 0 ? ["", ...later.map(madeLater)] : [];
  return [`${operation.method} ${address}${target}`, ...lines, ...content, ...notes].join("\n");
}
