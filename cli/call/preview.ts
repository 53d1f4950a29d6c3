/** What a call would send, for a person to read before saying yes. */
import type { PreparedCall } from "../../core/client/prepared-call";
import { fieldsOf } from "../../core/declaration/fields";

const json = "application/json";

const readable = (mediaType: string | undefined, body: string) =>
  mediaType === json ? JSON.stringify(JSON.parse(body), null, 2) : body;

/** Headers that say nothing to a person: how a response may come, and that what is JSON is JSON. */
const saysNothing = ([name, value]: readonly [string, string]) =>
  name === "accept" || name === "accept-encoding" || (name === "content-type" && value === json);

/** The request as it would leave, without credentials and without what is made new for each call. */
export function preview({ operation, address, target, headers, body }: PreparedCall): string {
  const made = new Set(
    fieldsOf(operation)
      .filter(({ by }) => by === "fxdesk")
      .map(({ name }) => name),
  );
  const lines = Object.entries(headers)
    .filter((header) => !made.has(header[0]) && !saysNothing(header))
    .map(([name, value]) => `${name}: ${value}`);
  const content = body === undefined ? [] : ["", readable(headers["content-type"], body)];
  return [`${operation.method} ${address}${target}`, ...lines, ...content].join("\n");
}
