/** From a caller's input to a call as it would leave: checked, filled and encoded. */
import { randomBytes, randomUUID } from "node:crypto";
import { checkInput, checkFilledFields, headerMessage, isUnsafeInHeader } from "../declaration/check";
import type { Declaration, GeneratedValue } from "../declaration/operation";
import {
  fieldsHiddenFromModels,
  generatedCallerFields,
  fieldsOf,
  memoizePerOperation,
  type Values,
} from "../declaration/fields";
import { keyViolation } from "../declaration/idempotency-key";
import { normalizeInput } from "../wire/normalize-input";
import { encodeRequest, fromText } from "../wire/request";
import { acceptedEncodings } from "../transport/content-decoding";
import { type ClientContext, localAddress, type Settings } from "./client-context";
import type { CallOptions } from "./call-options";
import { limitViolation } from "./limits";
import { invalidInputError } from "./call-errors";
import type { PreparedCall } from "./prepared-call";
import type { Violation } from "../declaration/violation";

/** Digits and capital letters, without those that are taken for one another: 32 of them, and 5 bits each. */
const referenceAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Such as `FX-7K3M9QW2-X5ABCDEF`: 80 bits of chance, in letters that every bank can pass on. */
export function createReference(): string {
  const letters = Array.from(randomBytes(16), (byte) => referenceAlphabet[byte & 31]).join("");
  return `FX-${letters.slice(0, 8)}-${letters.slice(8)}`;
}

const generators: Readonly<Record<GeneratedValue, () => string>> = {
  uuid: randomUUID,
  reference: createReference,
  "local-address": localAddress,
};

/** The settings in force for one call. */
export function settingsFor({ settings, service }: ClientContext, options: CallOptions): Settings {
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
export const actorOf = ({ settings }: ClientContext, options: CallOptions): string | undefined =>
  options.actor ?? settings.actor;

const missingSettingViolation = (field: string): Violation => ({
  field,
  message: "is required; set it on the connection",
});

const timeoutOptions = ["timeoutMs", "queueTimeoutMs"] as const;

const noViolations: readonly Violation[] = [];

function validateOptions(options: CallOptions): readonly Violation[] {
  const { timeoutMs, queueTimeoutMs, key, signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal))
    return [{ field: "signal", message: "must be an AbortSignal, such as the signal of an AbortController" }];
  if (timeoutMs === undefined && queueTimeoutMs === undefined && key === undefined) return noViolations;
  const keyMessage = key === undefined ? undefined : keyViolation(key);
  const timeoutViolations = timeoutOptions.flatMap((field) => {
    const message = options[field] === undefined ? undefined : limitViolation(options[field]);
    return message === undefined ? [] : [{ field, message }];
  });
  return keyMessage === undefined
    ? timeoutViolations
    : [...timeoutViolations, { field: "key", message: keyMessage }];
}

/** The input, with what the connection says where the caller says nothing. Values that throw are left to the check. */
function withConnectionFields(operation: Declaration, input: Values, settings: Settings): Values {
  const configured = fieldsHiddenFromModels(operation).filter(
    ({ setting }) => settings[setting] !== undefined,
  );
  if (configured.length === 0) return input;
  try {
    const absent = configured.filter(({ name }) => input[name] === undefined);
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
function withGeneratedFields(operation: Declaration, given: Values): Values {
  const fields = generatedCallerFields(operation);
  if (fields.length === 0 || !isObject(given)) return given;
  try {
    const blank = fields.filter(({ name }) => isBlank(given[name]));
    return {
      ...given,
      ...Object.fromEntries(blank.map(({ name, generate }) => [name, generators[generate!]()])),
    };
  } catch {
    return given;
  }
}

/** What the connection fills in and fxdesk makes. */
interface FilledFields {
  readonly values: Values;
  readonly violations: readonly Violation[];
}

function fillFields(operation: Declaration, context: ClientContext, settings: Settings): FilledFields {
  const values: Record<string, unknown> = {};
  /** Settings that the operation cannot do without. */
  const missingSettings: string[] = [];
  for (const { name, filledBy, setting, required, generate } of fieldsOf(operation)) {
    if (filledBy === "caller") continue;
    const value = settings[setting] ?? (required && generate ? generators[generate]() : undefined);
    if (value !== undefined) values[name] = value;
    else if (required) missingSettings.push(setting);
  }
  // Identities that the operation cannot do without; tokens are looked for later.
  const credentialViolations: Violation[] = [];
  for (const { kind, isRequired, setting } of context.credentialsOf(operation)) {
    if (kind === "header" && isRequired && !settings[setting]) missingSettings.push(setting);
    if (isUnsafeInHeader(settings[setting]))
      credentialViolations.push({ field: setting, message: headerMessage });
  }
  if (!context.addresses[operation.server])
    missingSettings.push(context.service.servers[operation.server]?.setting ?? operation.server);
  return {
    values,
    violations: [
      ...missingSettings.map(missingSettingViolation),
      ...credentialViolations,
      ...checkFilledFields(operation, values),
    ],
  };
}

const hasGeneratedFields = memoizePerOperation((operation) =>
  fieldsOf(operation).some(
    ({ filledBy, required, generate }) => filledBy !== "caller" && required && generate !== undefined,
  ),
);

const filledFieldsCache = new WeakMap<ClientContext, (operation: Declaration) => FilledFields>();

/** It is the same for every call of a connection that says nothing else, and then found out once. */
function cachedFilledFields(
  operation: Declaration,
  context: ClientContext,
  settings: Settings,
): FilledFields {
  if (settings !== context.settings || hasGeneratedFields(operation))
    return fillFields(operation, context, settings);
  let filled = filledFieldsCache.get(context);
  if (!filled) {
    filled = memoizePerOperation((each) => fillFields(each, context, settings));
    filledFieldsCache.set(context, filled);
  }
  return filled(operation);
}

/** The values of all fields. Throws InvalidInput, which names each field that does not fit. */
function collectValues(
  operation: Declaration,
  input: Values,
  context: ClientContext,
  options: CallOptions,
): Values {
  const settings = settingsFor(context, options);
  const given = normalizeInput(operation, withConnectionFields(operation, input, settings));
  const callerValues = withGeneratedFields(operation, given);
  const filled = cachedFilledFields(operation, context, settings);
  const inputViolations = checkInput(operation, callerValues, new Date());
  const optionViolations = validateOptions(options);
  if (inputViolations.length + optionViolations.length + filled.violations.length > 0)
    throw invalidInputError(operation, [...inputViolations, ...optionViolations, ...filled.violations]);
  // A copy of both would cost the engine a new hidden class with every call.
  return Object.assign({ ...filled.values }, callerValues);
}

function freezeCall(call: PreparedCall): PreparedCall {
  const deepFreeze = (value: unknown): void => {
    if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  };
  deepFreeze(call.values);
  deepFreeze(call.given);
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
  context: ClientContext,
  options: CallOptions,
): PreparedCall {
  const values = collectValues(operation, input, context, options);
  const { target, headers, body } = encodeRequest(operation, values);
  if (headers.Accept === undefined) headers.accept = "application/json, */*;q=0.8";
  headers["accept-encoding"] = acceptedEncodings;
  const { origin, pathPrefix } = context.addresses[operation.server]!;
  const call = {
    operation,
    values,
    given: input,
    address: origin + pathPrefix,
    target,
    headers,
    body,
    options,
  };
  if (operation.effect !== "money") return call;
  const given = normalizeInput(operation, input);
  return freezeCall({ ...call, values: structuredClone(values), given: structuredClone(given) });
}
