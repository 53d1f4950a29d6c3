/** Prepares a call: validates the input, fills in the remaining fields and encodes the request. Sends nothing. */
import { randomBytes, randomUUID } from "node:crypto";
import { checkInput, checkFilledFields, headerMessage, isUnsafeInHeader, keyViolation } from "../spec/check";
import type { Declaration, GeneratedValue } from "../spec/operation";
import { fieldsHiddenFromModels, generatedCallerFields, fieldsOf, type Values } from "../spec/fields";
import { normalizeInput } from "./normalize-input";
import { encodeRequest, fromText } from "./encode-request";
import { acceptedEncodings } from "../http/content-decoding";
import { limitViolation } from "../http/deadline";
import { type ClientContext, localAddress, type Settings } from "./client-context";
import type { CallOptions } from "./call-options";
import type { PreparedCall } from "./prepared-call";
import { invalidInputError, toFxdeskError } from "./call-errors";
import type { Violation } from "../spec/errors";

/** 32 digits and capital letters without look-alikes: 5 bits each. */
const referenceAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Returns a random reference of 80 bits in characters that every bank accepts, for example `FX-7K3M9QW2-X5ABCDEF`. */
export function createReference(): string {
  const letters = Array.from(randomBytes(16), (byte) => referenceAlphabet[byte & 31]).join("");
  return `FX-${letters.slice(0, 8)}-${letters.slice(8)}`;
}

const generators: Readonly<Record<GeneratedValue, () => string>> = {
  uuid: randomUUID,
  reference: createReference,
  "local-address": localAddress,
};

/** Returns the effective settings of one call. */
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

/** Returns the requester of the call, if configured. */
export const actorOf = ({ settings }: ClientContext, options: CallOptions): string | undefined =>
  options.actor ?? settings.actor;

/** Advice for a missing setting. The MCP server replaces it, because models cannot change settings. */
export const connectionHint = "set it in the connection settings";

const missingSettingViolation = (field: string): Violation => ({
  field,
  message: `is required; ${connectionHint}`,
});

const timeoutOptions = ["timeoutMs", "queueTimeoutMs"] as const;

const noViolations: readonly Violation[] = [];

function validateOptions(options: CallOptions): readonly Violation[] {
  const { timeoutMs, queueTimeoutMs, key, signal } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal))
    return [{ field: "signal", message: "must be an AbortSignal, for example that of an AbortController" }];
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

/** Adds configured values for absent fields. Inputs that throw when read are left to the validation. */
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

/** Adds generated values for blank fields. Inputs that throw when read are left to the validation. */
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

/** Values filled in from settings or generated by fxdesk. */
interface FilledFields {
  readonly values: Values;
  readonly violations: readonly Violation[];
}

function fillFields(operation: Declaration, context: ClientContext, settings: Settings): FilledFields {
  const values: Record<string, unknown> = {};
  /** Required settings that are not configured. */
  const missingSettings: string[] = [];
  for (const { name, filledBy, setting, required, generate } of fieldsOf(operation)) {
    if (filledBy === "caller") continue;
    const value = settings[setting] ?? (required && generate ? generators[generate]() : undefined);
    if (value !== undefined) values[name] = value;
    else if (required) missingSettings.push(setting);
  }
  // Required headers only; tokens are obtained when the call is sent.
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

/** Returns the values of all fields. Throws InvalidInput that lists every invalid field. */
function collectValues(
  operation: Declaration,
  input: Values,
  context: ClientContext,
  options: CallOptions,
): Values {
  const settings = settingsFor(context, options);
  const given = normalizeInput(operation, withConnectionFields(operation, input, settings));
  const callerValues = withGeneratedFields(operation, given);
  const filled = fillFields(operation, context, settings);
  const inputViolations = checkInput(operation, callerValues, new Date());
  const optionViolations = validateOptions(options);
  if (inputViolations.length + optionViolations.length + filled.violations.length > 0)
    throw invalidInputError(operation, [...inputViolations, ...optionViolations, ...filled.violations]);
  // Spreading both objects would create a new hidden class with every call.
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
 * Returns the validated, encoded request without credentials. Money calls are frozen and copy the caller's values, so that the
 * request checked is the request sent. Throws an FxdeskError, also if reading the input throws.
 */
export function prepareCall(
  operation: Declaration,
  input: Values,
  context: ClientContext,
  options: CallOptions,
): PreparedCall {
  try {
    const values = collectValues(operation, input, context, options);
    const { target, headers, body } = encodeRequest(operation, values);
    if (headers.Accept === undefined) headers.accept = "application/json, */*;q=0.8";
    headers["accept-encoding"] = acceptedEncodings;
    const { origin, pathPrefix } = context.addresses[operation.server]!;
    const address = origin + pathPrefix;
    const call = { operation, values, given: input, address, target, headers, body, options };
    if (operation.effect !== "money") return call;
    const given = normalizeInput(operation, input);
    return freezeCall({ ...call, values: structuredClone(values), given: structuredClone(given) });
  } catch (error) {
    throw toFxdeskError(operation, error, { attempts: 0, sent: false });
  }
}
