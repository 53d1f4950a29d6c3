/** Authenticates and validates a request before its operation runs. */
import {
  type Declaration,
  type Field,
  fieldsOf,
  memoizePerOperation,
  type Values,
  type Violation,
  checkRequest,
  type CustomerErrorStatuses,
  type CredentialScheme,
  decodeBody,
  decodeRequest,
  describeViolations,
  type Service,
  splitCredential,
  UnreadableBody,
  withDefaults,
} from "@fxdesk/toolkit/operations";
import { kindOf } from "@fxdesk/toolkit/schema";
import { type HttpRequest, bearerToken, header } from "../http/http";
import type { Call } from "../calls/behaviour";
import { type Caller, type Dialect, dialectOf } from "../calls/dialects";
import { invalidRequestStatus, HttpError } from "../http/http-error";
import { type Client, type Contact, demoCredential, canActFor } from "../world/parties/parties";
import type { World } from "../world/model/world";

/** Upper bound of the contract's int32. */
const maxInt32 = 2 ** 31 - 1;

const isList = ({ schema }: Field) => kindOf(schema) === "array";
const isNumber = ({ schema }: Field) => kindOf(schema) === "integer";

function listViolation({ list }: Field, texts: readonly string[]): string | undefined {
  if (texts.some((text) => text.startsWith("["))) return "must be a list without brackets";
  if (list === "repeat" && texts.some((text) => text.includes(",")))
    return "must be repeated for each value, without commas";
  const isEmpty = texts.flatMap((text) => text.split(",")).includes("");
  return isEmpty ? "must not be empty" : undefined;
}

const numberViolation = (texts: readonly string[]): string | undefined =>
  texts.every((text) => /^-?\d+$/.test(text) && Math.abs(Number(text)) <= maxInt32)
    ? undefined
    : `must be a whole number of at most ${maxInt32}`;

function violationOf(field: Field, texts: readonly string[]): string | undefined {
  if (isList(field)) return listViolation(field, texts);
  if (isNumber(field)) return numberViolation(texts);
  return undefined;
}

/** Fields whose aliases clients may use, but which have one spelling on the wire. */
const fieldsWithAliases = memoizePerOperation((operation: Declaration) =>
  fieldsOf(operation).filter(
    ({ location, aliases }) => aliases && (location === "query" || location === "body"),
  ),
);

/** Returns the fields that are not written as in the contract. `body` holds the raw fields. */
function formatViolations(
  operation: Declaration,
  { query }: Pick<HttpRequest, "query">,
  body: Values = {},
): Violation[] {
  const malformed = fieldsOf(operation)
    .filter(({ name, location }) => location === "query" && query[name] !== undefined)
    .flatMap((field) => {
      const message = violationOf(field, [query[field.name]!].flat());
      return message === undefined ? [] : [{ field: field.name, message }];
    });
  const nonCanonical = fieldsWithAliases(operation).flatMap(({ name, location, aliases, options = [] }) => {
    const value = (location === "query" ? query : body)[name];
    return typeof value === "string" && aliases!.has(value)
      ? [{ field: name, message: `must be one of ${options.join(", ")}` }]
      : [];
  });
  return [...malformed, ...nonCanonical];
}

/** A credential that an operation accepts. */
interface RequestCredential extends CredentialScheme {
  /** If true, a request without it is refused. */
  readonly isRequired: boolean;
}

const credentialsOf = ({ credentials }: Declaration, service: Service): RequestCredential[] =>
  credentials.map((credential) => {
    const { name, optional } = splitCredential(credential);
    return { ...service.credentials[name]!, isRequired: !optional };
  });

/** True for the header that names the acting contact. It is an identifier, not a secret. */
const isContactHeader = ({ kind, setting }: RequestCredential) =>
  kind === "header" && setting === "contactId";

/** Returns the validated call. Throws an HttpError with the status that the contract documents for the problem. */
export async function authorize(
  operation: Declaration,
  request: HttpRequest,
  service: Service,
  world: World,
): Promise<Call> {
  const credentials = credentialsOf(operation, service);
  const caller = identifyCaller(operation, credentials, request, world);
  const body = await readBody(operation, request);
  const values = readValues(operation, request, body, world.now);
  const client = findClient(operation, values, caller.clientIds, world);
  const contactId = resolveContactId(operation, credentials.find(isContactHeader), request, caller);
  const contact = findContact(operation, contactId, client, world);
  return { operation, values, client, contact, request, world };
}

function identifyCaller(
  { server }: Declaration,
  credentials: readonly RequestCredential[],
  request: HttpRequest,
  world: World,
): Caller {
  const dialect = dialectOf(server);
  const bearer = credentials.find(({ kind }) => kind === "bearer");
  for (const each of credentials)
    if (each !== bearer && !isContactHeader(each)) checkSecret(each, header(request, each.header), dialect);
  return bearer ? checkToken(bearer, request, dialect, world) : { clientIds: world.ownClientIds };
}

function checkSecret(
  { header: name, setting, isRequired }: RequestCredential,
  value: string | undefined,
  { codes }: Dialect,
) {
  if (value === undefined && !isRequired) return;
  if (value !== demoCredential(setting))
    throw new HttpError(401, codes.tokenUnknown, `${name} is missing or unknown.`);
}

function checkToken(
  { header: name, isRequired }: RequestCredential,
  request: HttpRequest,
  { codes, callerOf }: Dialect,
  world: World,
): Caller {
  const token = bearerToken(request, name);
  if (token === undefined && isRequired)
    throw new HttpError(401, codes.tokenMissing, "The access token is missing.");
  if (token === undefined) return { clientIds: world.ownClientIds };
  const caller = callerOf(token, world);
  if (caller === "unknown") throw new HttpError(401, codes.tokenUnknown, "The access token is unknown.");
  if (caller === "expired") throw new HttpError(401, codes.tokenExpired, "The access token has expired.");
  return caller;
}

/** Returns the fields of the body, or undefined if the body is empty. */
async function readBody(operation: Declaration, request: HttpRequest): Promise<Values | undefined> {
  if (!operation.body || request.body.length === 0) return undefined;
  try {
    return await decodeBody(operation, header(request, "content-type"), request.body);
  } catch (error) {
    throw error instanceof UnreadableBody ? toBodyError(operation, error) : error;
  }
}

function toBodyError(operation: Declaration, { because, message }: UnreadableBody): HttpError {
  if (because === "media-type" && 415 in operation.errors)
    return new HttpError(415, "", "The body's media type is not supported.", message);
  const { invalid } = dialectOf(operation.server).codes;
  return new HttpError(invalidRequestStatus(operation), invalid, "The body cannot be read.", message);
}

const isClientId = ({ filledBy, setting }: Field) => filledBy === "connection" && setting === "clientId";

function readValues(
  operation: Declaration,
  { path, query, headers }: HttpRequest,
  body: Values | undefined,
  now: Date,
): Values {
  // The response is negotiated from Accept later, because Accept carries weights.
  const { accept: _accept, ...others } = headers;
  const values = decodeRequest(operation, { path, query, headers: others, body });
  const { invalid } = dialectOf(operation.server).codes;
  const clientField = fieldsOf(operation).find(isClientId);
  if (clientField && !values[clientField.name])
    throw new HttpError(
      customerErrorStatusesOf(operation).missing,
      "missing_client_id",
      "The client is missing.",
      `${clientField.name} is required.`,
    );
  const formatErrors = formatViolations(operation, { query }, body);
  const violations = formatErrors.length > 0 ? formatErrors : checkRequest(operation, values, now);
  if (violations.length > 0)
    throw new HttpError(
      invalidRequestStatus(operation),
      invalid,
      "The request is invalid.",
      describeViolations(violations),
      {},
      violations,
    );
  return withDefaults(operation, values);
}

/** Statuses for a missing, foreign or unknown client, restricted to those that the operation documents. */
function customerErrorStatusesOf(
  operation: Declaration,
): CustomerErrorStatuses & { readonly foreign: number } {
  const { errors } = operation;
  return {
    missing: invalidRequestStatus(operation),
    foreign: 403 in errors ? 403 : 404,
    unknown: 403 in errors && !(404 in errors) ? 403 : 404,
    ...operation.customerErrorStatuses,
  };
}

function findClient(
  operation: Declaration,
  values: Values,
  clientIds: readonly string[],
  world: World,
): Client {
  const field = fieldsOf(operation).find(isClientId);
  const clientId = field ? String(values[field.name]) : clientIds[0]!;
  const client = world.clients.get(clientId);
  const { foreign, unknown } = customerErrorStatusesOf(operation);
  if (!client) throw new HttpError(unknown, "client_not_found", "The client is unknown.", clientId);
  if (!clientIds.includes(clientId))
    throw new HttpError(
      foreign,
      "client_mismatch",
      "The access token is not valid for this client.",
      clientId,
    );
  return client;
}

/** Returns the named contact, or else the contact that the token was issued to. */
function resolveContactId(
  operation: Declaration,
  contactHeader: RequestCredential | undefined,
  request: HttpRequest,
  caller: Caller,
): string | undefined {
  if (!contactHeader) return undefined;
  const contactId = header(request, contactHeader.header);
  if (contactId) return contactId;
  if (!contactHeader.isRequired) return caller.contactId;
  const status = invalidRequestStatus(operation);
  const details = `${contactHeader.header} is required.`;
  throw new HttpError(status, "missing_contact_id", "The contact is missing.", details);
}

function findContact(
  { errors }: Declaration,
  contactId: string | undefined,
  client: Client,
  world: World,
): Contact | undefined {
  if (contactId === undefined) return undefined;
  const contact = world.contacts.get(contactId);
  if (contact && canActFor(contact, client)) return contact;
  const message = contact ? "The contact cannot act for this client." : "The contact is unknown.";
  const status = [409, 403, 404].find((each) => each in errors)!;
  throw new HttpError(status, "contact_conflict", message, contactId);
}
