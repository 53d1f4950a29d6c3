/** The sealed request of a call: made from a call, and compared with a call at hand before it is sent. */
import type { CallOptions } from "../call/call-options";
import { type ClientContext, environmentOf } from "../call/client-context";
import { normalizeInput } from "../call/normalize-input";
import { defaultKeyOf, type PreparedCall } from "../call/prepared-call";
import { committedMoneyOf } from "../spec/committed-money";
import { fieldsOf } from "../spec/fields";
import type { Declaration } from "../spec/operation";
import { customerFromValues } from "../spec/service";
import { canonicalJson } from "../values/json";
import { kindOf } from "../values/kind";
import type { Release } from "./release";
import { parseCorrelation, type SealedCall } from "./terms";

/** Time for which a request waits for release. */
const defaultValidityMs = 24 * 3_600_000;

/** Returns the request that a person releases for this call of a requester. */
export function sealCall(
  context: ClientContext,
  call: PreparedCall,
  requester: string | undefined,
): SealedCall {
  const { operation, values, address, target, headers, body, options } = call;
  return {
    kind: "call",
    effect: operation.effect === "money" ? "money" : "change",
    operation: operation.name,
    environment: environmentOf(context, operation)!,
    client: customerFromValues(context.service, values),
    ...(requester !== undefined && { requester }),
    surface: options.surface ?? "client",
    ...(options.key !== undefined && { key: options.key }),
    requestedAt: Date.now(),
    validUntil: Date.now() + defaultValidityMs,
    ...(options.release && { release: options.release }),
    ...(context.settings.policy !== undefined && { underPolicy: true }),
    ...(options.warnings?.length && { warnings: options.warnings }),
    ...(options.compared && { compared: options.compared }),
    ...parseCorrelation(operation.name, options.correlation),
    terms: {
      method: operation.method,
      address,
      target,
      headers,
      ...(body !== undefined && { body }),
      values,
      given: normalizeInput(operation, call.given),
      ...requestTermsOf(context, operation),
    },
    ...moneyFactsOf(context, call),
  };
}

/** Returns how `client.request` was given its fields, none of which has a type. Empty for every other call. */
function requestTermsOf(
  { service }: ClientContext,
  operation: Declaration,
): Pick<SealedCall["terms"], "request"> {
  if (service.operations.includes(operation)) return {};
  const { path, server, body, document } = operation;
  const fields = fieldsOf(operation);
  const isRequest = fields.every(
    ({ location, filledBy, schema }) =>
      filledBy === "caller" && (location === "query" || location === "body") && kindOf(schema) === "unknown",
  );
  if (!isRequest || document) return {};
  const namesAt = (place: string) =>
    fields.filter(({ location }) => location === place).map(({ name }) => name);
  return { request: { path, server, query: namesAt("query"), ...(body && { body: namesAt("body") }) } };
}

/** Returns the amounts and creditors, or the trade, that a call commits. */
function moneyFactsOf(
  { quotes }: ClientContext,
  call: PreparedCall,
): Pick<SealedCall, "amounts" | "creditors" | "trade"> {
  const { operation, values } = call;
  const { commits, effect } = operation;
  if (effect !== "money") return {};
  if (commits === undefined) return { trade: "unknown" };
  if (commits !== "none" && commits.quote !== undefined) return { trade: quotes.tradeOf(call) ?? "unknown" };
  return committedMoneyOf(operation, values);
}

/** Returns the options with which a process makes a call for its requester, as the connection of the requester filled it. */
export function callOptionsFor(operation: Declaration, sealed: SealedCall): CallOptions {
  const { requester, surface, key, release, terms } = sealed;
  const filled = Object.fromEntries(
    fieldsOf(operation).flatMap(({ name, setting, filledBy, hiddenFromModels, generate }) =>
      (filledBy === "caller" && !hiddenFromModels) || generate || terms.values[name] === undefined
        ? []
        : [[setting, String(terms.values[name])]],
    ),
  );
  const { clientId, contactId, ...psu } = filled;
  return {
    surface,
    ...(requester !== undefined && { actor: requester }),
    ...(key !== undefined && { key }),
    ...(release === "needed" && { release }),
    ...(clientId !== undefined && { clientId }),
    ...(contactId !== undefined && { contactId }),
    psu,
  };
}

/** A generated value contains nothing that could change its surroundings in an encoded request. */
const isGeneratedValue = (value: unknown): value is string =>
  typeof value === "string" && /^[\w.:-]{1,64}$/.test(value);

/** Replaces a text in all texts of a JSON value. */
function replaceText(value: unknown, text: string, replacement: string): unknown {
  if (typeof value === "string") return value.replaceAll(text, replacement);
  if (Array.isArray(value)) return value.map((each) => replaceText(each, text, replacement));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, replaceText(each, text, replacement)]),
  );
}

/** Returns the terms of a call with the generated values of a released one, which differ from call to call. */
function withGeneratedValues(
  { operation, values }: PreparedCall,
  own: SealedCall["terms"],
  released: SealedCall["terms"],
): SealedCall["terms"] {
  const { method, address, given, ...encoded } = own;
  const generated = fieldsOf(operation)
    .filter(({ generate }) => generate !== undefined)
    .map(({ name }) => [values[name], released.values[name]] as const);
  const terms = generated.reduce<unknown>(
    (text, [made, sealed]) =>
      isGeneratedValue(made) && isGeneratedValue(sealed) ? replaceText(text, made, sealed) : text,
    encoded,
  ) as typeof encoded;
  return { ...terms, method, address, given };
}

/** What a released call is sent as. */
interface ReleasedCall {
  readonly call: PreparedCall;
  /** The request as it follows from the call. */
  readonly sealed: SealedCall;
}

/**
 * Returns the call at hand as it was released, or undefined if a released request does not follow from it. Operation, effect,
 * amounts, requester and terms come from the call; only what no call has comes from the release: its times and origin.
 */
export function asReleased(
  { id, sealed: released }: Release,
  call: PreparedCall,
  atHand: SealedCall,
): ReleasedCall | undefined {
  if (released.kind !== "call") return undefined;
  const { surface, key, requestedAt, validUntil, release, underPolicy, correlation, quoteProof } = released;
  const { warnings, compared, firstPayments } = released;
  const {
    surface: _surface,
    key: _ownKey,
    requestedAt: _requestedAt,
    validUntil: _validUntil,
    release: _release,
    underPolicy: _underPolicy,
    warnings: _warnings,
    compared: _compared,
    firstPayments: _firstPayments,
    correlation: _correlation,
    quoteProof: _quoteProof,
    ...facts
  } = atHand;
  const sealed: SealedCall = {
    ...facts,
    surface,
    ...(key !== undefined && { key }),
    requestedAt,
    validUntil,
    ...((atHand.release ?? release) && { release: "needed" }),
    ...(underPolicy && { underPolicy }),
    ...(warnings && { warnings }),
    ...(compared && { compared }),
    ...(firstPayments && { firstPayments }),
    ...(correlation !== undefined && { correlation }),
    ...(quoteProof !== undefined && { quoteProof }),
    terms: withGeneratedValues(call, atHand.terms, released.terms),
  };
  if (canonicalJson(sealed) !== canonicalJson(released)) return undefined;
  const { address, target, headers, body, values, given } = sealed.terms;
  const { operation } = call;
  const { key: _key, ...ownOptions } = call.options;
  const journalKey = key ?? (defaultKeyOf({ operation, values }) === undefined ? id : undefined);
  const options = { ...ownOptions, ...(journalKey !== undefined && { key: journalKey }) };
  return {
    sealed,
    call: Object.freeze({ operation, address, target, headers, body, values, given, options }),
  };
}
