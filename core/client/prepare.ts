/** From a caller's input to a call as it would leave: checked, filled and encoded. */
import { randomBytes, randomUUID } from "node:crypto";
import { checkInput, checkFilledFields, headerText, outgrowsHeader } from "../declaration/check";
import type { Declaration, GeneratedValue } from "../declaration/operation";
import {
  fieldsHiddenFromModels,
  fieldsMadeForCaller,
  fieldsOf,
  perOperation,
  type Values,
} from "../declaration/fields";
import { keyViolation } from "../declaration/key";
import { canonicalValues } from "../wire/spelling";
import { encodeRequest, fromText } from "../wire/request";
import { acceptedEncodings } from "../transport/content";
import { type Connection, localAddress, type Settings } from "./connection";
import type { CallOptions } from "./call-options";
import { limitViolation } from "./limits";
import { invalidInput } from "./call-errors";
import type { PreparedCall } from "./prepared-call";
import type { Violation } from "../declaration/violation";

/** Digits and capital letters, without those that are taken for one another: 32 of them, and 5 bits each. */
const referenceLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Such as `FX-7K3M9QW2-X5ABCDEF`: 80 bits of chance, in letters that every bank can pass on. */
export function newReference(): string {
  const letters = Array.from(randomBytes(16), (byte) => referenceLetters[byte & 31]).join("");
  return `FX-${letters.slice(0, 8)}-${letters.slice(8)}`;
}

const makers: Readonly<Record<GeneratedValue, () => string>> = {
  uuid: randomUUID,
  reference: newReference,
  "local-address": localAddress,
};

/** The settings in force for one call. */
export function settingsFor({ settings, service }: Connection, options: CallOptions): Settings {
  const { clientId, contactId, requestId, psu } = options;
  if (clientId === undefined && contactId === undefined && requestId === undefined && !psu) return settings;
  return {
    ...settings,
    ...(clientId !== undefined && { clientId }),
    ...(contactId !== undefined && { contactId }),
    ...(requestId !== undefined && service.requestIdHeader && { [service.requestIdHeader]: requestId }),
    ...psu,
  };
}

/** Who asks; undefined where nobody says so. */
export const actorOf = ({ settings }: Connection, options: CallOptions): string | undefined =>
  options.actor ?? settings.actor;

const missing = (field: string): Violation => ({ field, message: "is required; set it on the connection" });

const limits = ["timeoutMs", "queueTimeoutMs"] as const;

const none: readonly Violation[] = [];

function violationsOfOptions(options: CallOptions): readonly Violation[] {
  const { timeoutMs, queueTimeoutMs, key, signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal))
    return [{ field: "signal", message: "must be an AbortSignal, such as the signal of an AbortController" }];
  if (timeoutMs === undefined && queueTimeoutMs === undefined && key === undefined) return none;
  const ofKey = key === undefined ? undefined : keyViolation(key);
  const ofLimits = limits.flatMap((field) => {
    const message = options[field] === undefined ? undefined : limitViolation(options[field]);
    return message === undefined ? [] : [{ field, message }];
  });
  return ofKey === undefined ? ofLimits : [...ofLimits, { field: "key", message: ofKey }];
}

/** The input, with what the connection says where the caller says nothing. Values that throw are left to the check. */
function withOperatorFields(operation: Declaration, input: Values, settings: Settings): Values {
  const set = fieldsHiddenFromModels(operation).filter(({ setting }) => settings[setting] !== undefined);
  if (set.length === 0) return input;
  try {
    const absent = set.filter(({ name }) => input[name] === undefined);
    const filled = absent.map(({ name, schema, setting }) => [name, fromText(schema, settings[setting]!)]);
    return { ...input, ...Object.fromEntries(filled) };
  } catch {
    return input;
  }
}

const isBlank = (value: unknown): boolean =>
  value === undefined || (typeof value === "string" && value.trim() === "");

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The caller's values with what fxdesk makes where he leaves it out. Values that throw are left to the check. */
function completed(operation: Declaration, given: Values): Values {
  const fields = fieldsMadeForCaller(operation);
  if (fields.length === 0 || !isObject(given)) return given;
  try {
    const blank = fields.filter(({ name }) => isBlank(given[name]));
    return { ...given, ...Object.fromEntries(blank.map(({ name, make }) => [name, makers[make!]()])) };
  } catch {
    return given;
  }
}

/** What the connection fills in and fxdesk makes. */
interface Filled {
  readonly values: Values;
  readonly violations: readonly Violation[];
}

function filledFrom(operation: Declaration, connection: Connection, settings: Settings): Filled {
  const values: Record<string, unknown> = {};
  /** Settings that the operation cannot do without. */
  const absent: string[] = [];
  for (const { name, by, setting, required, make } of fieldsOf(operation)) {
    if (by === "caller") continue;
    const value = settings[setting] ?? (required && make ? makers[make]() : undefined);
    if (value !== undefined) values[name] = value;
    else if (required) absent.push(setting);
  }
  // Identities that the operation cannot do without; tokens are looked for later.
  const unfit: Violation[] = [];
  for (const { kind, needed, setting } of connection.carriedBy(operation)) {
    if (kind === "header" && needed && !settings[setting]) absent.push(setting);
    if (outgrowsHeader(settings[setting])) unfit.push({ field: setting, message: headerText });
  }
  if (!connection.addresses[operation.server])
    absent.push(connection.service.servers[operation.server]?.setting ?? operation.server);
  return { values, violations: [...absent.map(missing), ...unfit, ...checkFilledFields(operation, values)] };
}

const isMadeAnew = perOperation((operation) =>
  fieldsOf(operation).some(({ by, required, make }) => by !== "caller" && required && make !== undefined),
);

const filledBy = new WeakMap<Connection, (operation: Declaration) => Filled>();

/** It is the same for every call of a connection that says nothing else, and then found out once. */
function filledFields(operation: Declaration, connection: Connection, settings: Settings): Filled {
  if (settings !== connection.settings || isMadeAnew(operation))
    return filledFrom(operation, connection, settings);
  let filled = filledBy.get(connection);
  if (!filled) {
    filled = perOperation((each) => filledFrom(each, connection, settings));
    filledBy.set(connection, filled);
  }
  return filled(operation);
}

/** The values of all fields. Throws InvalidInput, which names each field that does not fit. */
function valuesToSend(
  operation: Declaration,
  input: Values,
  connection: Connection,
  options: CallOptions,
): Values {
  const settings = settingsFor(connection, options);
  const given = canonicalValues(operation, withOperatorFields(operation, input, settings));
  const ofCaller = completed(operation, given);
  const filled = filledFields(operation, connection, settings);
  const misfits = checkInput(operation, ofCaller, new Date());
  const ofOptions = violationsOfOptions(options);
  if (misfits.length + ofOptions.length + filled.violations.length > 0)
    throw invalidInput(operation, [...misfits, ...ofOptions, ...filled.violations]);
  // A copy of both would cost the engine a new hidden class with every call.
  return Object.assign({ ...filled.values }, ofCaller);
}

function frozen(call: PreparedCall): PreparedCall {
  const deep = (value: unknown): void => {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
    Object.freeze(value);
    Object.values(value).forEach(deep);
  };
  deep(call.values);
  deep(call.given);
  Object.freeze(call.headers);
  const options = {
    ...call.options,
    ...(call.options.psu && { psu: Object.freeze({ ...call.options.psu }) }),
  };
  return Object.freeze({ ...call, options: Object.freeze(options) });
}

/**
 * The call as it would leave, without credentials. One that commits money is frozen, with a copy of the caller's values:
 * what was looked at is what leaves. Throws InvalidInput when it would not leave.
 */
export function prepareCall(
  operation: Declaration,
  input: Values,
  connection: Connection,
  options: CallOptions,
): PreparedCall {
  const values = valuesToSend(operation, input, connection, options);
  const { target, headers, body } = encodeRequest(operation, values);
  if (headers.Accept === undefined) headers.accept = "application/json, */*;q=0.8";
  headers["accept-encoding"] = acceptedEncodings;
  const { origin, prefix } = connection.addresses[operation.server]!;
  const call = { operation, values, given: input, address: origin + prefix, target, headers, body, options };
  if (operation.effect !== "money") return call;
  const given = canonicalValues(operation, input);
  return frozen({ ...call, values: structuredClone(values), given: structuredClone(given) });
}
