/** What is sent: the caller's input, checked, and what the connection and fxdesk add to it. */
import { randomUUID } from "node:crypto";
import { InvalidInput } from "../errors";
import { checkInput, checkRest, inWords, type Problem, type Values } from "../operations/check";
import type { Declaration } from "../operations/declaration";
import { fieldsOf } from "../operations/fields";
import { allSpelled } from "../operations/spelling";
import { type CallOptions, type Connection, localAddress } from "./connection";

/** Values that fxdesk makes when neither the call nor the connection gives them and the service wants them. */
const made: Readonly<Record<string, () => string>> = {
  "X-Request-ID": randomUUID,
  "PSU-IP-Address": localAddress,
};

/** The settings in force for one call. */
const settingsFor = ({ settings }: Connection, options: CallOptions): Connection["settings"] => ({
  ...settings,
  ...(options.clientId !== undefined && { clientId: options.clientId }),
  ...(options.contactId !== undefined && { contactId: options.contactId }),
  ...(options.requestId !== undefined && { "X-Request-ID": options.requestId }),
  ...options.psu,
});

const missing = (field: string): Problem => ({ field, says: "is required; set it on the connection" });

/** The values of all fields. Throws InvalidInput, which names each field that does not fit. */
export function valuesToSend(
  operation: Declaration,
  input: Values,
  connection: Connection,
  options: CallOptions,
): Values {
  const given = allSpelled(operation, input);
  const problems = checkInput(operation, given, new Date());
  const settings = settingsFor(connection, options);
  const rest: Record<string, unknown> = {};
  for (const { name, by, setting, required } of fieldsOf(operation)) {
    if (by === "caller") continue;
    const value = settings[setting] ?? (required ? made[setting]?.() : undefined);
    if (value !== undefined) rest[name] = value;
    else if (required) problems.push(missing(setting));
  }
  problems.push(...checkRest(operation, rest));
  if (operation.credentials.includes("contactId") && !settings.contactId) problems.push(missing("contactId"));
  if (!connection.addresses[operation.server])
    problems.push(missing(operation.server === "service" ? "baseUrl" : "xs2aUrl"));
  if (problems.length > 0) throw invalidInput(operation, problems);
  // Into an object that is there: a copy of both would cost the engine a new hidden class with every call.
  return Object.assign(rest, given);
}

export const invalidInput = (operation: Declaration, problems: readonly Problem[]): InvalidInput =>
  new InvalidInput(`${operation.name}: ${inWords(problems)}`, {
    operation: operation.name,
    code: "invalid_input",
    outcome: "not-sent",
    problems,
  });
