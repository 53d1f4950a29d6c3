/** What a call would send, for a person to read before saying yes. */
import type { PreparedCall } from "../../core/client/pipeline";
import { fieldsOf } from "../../core/operations/fields";

const readable = (mediaType: string, body: string) =>
  mediaType === "application/json" ? JSON.stringify(JSON.parse(body), null, 2) : body;

/** Headers that every call has, and those that are made new for each. */
const usual = new Set(["accept", "accept-encoding"]);

/** The request as it would leave, without credentials and without what is made new for each call. */
export function preview({ operation, address, target, headers, body }: PreparedCall): string {
  const made = new Set(
    fieldsOf(operation)
      .filter(({ by }) => by === "fxdesk")
      .map(({ name }) => name),
  );
  const lines = Object.entries(headers)
    .filter(([name]) => !made.has(name) && !usual.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  const content = body === undefined ? [] : ["", readable(headers["content-type"]!, body)];
  return [`${operation.method} ${address}${target}`, ...lines, ...content].join("\n");
}
