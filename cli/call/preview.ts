/** What a call would send, for a person to read before saying yes. */
import type { ClientOptions } from "../../core/client/connection";
import { connect } from "../../core/client/connection";
import { valuesToSend } from "../../core/client/fill";
import type { Values } from "../../core/operations/check";
import type { Declaration } from "../../core/operations/declaration";
import { fieldsOf } from "../../core/operations/fields";
import { encodeRequest } from "../../core/operations/wire";
import { asUsage } from "../connection";

const readable = (mediaType: string, body: string) =>
  mediaType === "application/json" ? JSON.stringify(JSON.parse(body), null, 2) : body;

/**
 * The request as it would leave, without credentials and without what is made new for each call. Throws InvalidInput
 * when it would not leave.
 */
export function preview(operation: Declaration, input: Values, options: ClientOptions): string {
  const connection = asUsage(() => connect(options));
  const values = valuesToSend(operation, input, connection, {});
  const made = new Set(
    fieldsOf(operation)
      .filter(({ by }) => by === "fxdesk")
      .map(({ name }) => name),
  );
  const { target, headers, body } = encodeRequest(operation, values);
  const { origin, prefix } = connection.addresses[operation.server]!;
  const lines = Object.entries(headers)
    .filter(([name]) => !made.has(name))
    .map(([name, value]) => `${name}: ${value}`);
  const content = body === undefined ? [] : ["", readable(headers["content-type"]!, body)];
  return [`${operation.method} ${origin}${prefix}${target}`, ...lines, ...content].join("\n");
}
