/** The door before every operation: who calls, with what, and for whom. */
import {
  checkRequest,
  type CustomerErrorStatuses,
  type CredentialScheme,
  type Declaration,
  decodeBody,
  decodeRequest,
  type Field,
  fieldsOf,
  describeViolations,
  type Service,
  splitCredential,
  UnreadableBody,
  type Values,
  withDefaults,
} from "@fxdesk/toolkit/operations";
import type { Call } from "./behaviour";
import type { Caller, Dialect } from "./dialect";
import { dialectOf } from "./dialects";
import { bearerOf, header, type HttpRequest } from "./http";
import { invalidStatus, Refusal } from "./refusal";
import { wordingViolations } from "./strictness";
import { type Client, type Contact, demoCredential, mayActFor } from "./world/parties/parties";
import type { World } from "./world/world";

/** A credential as an operation carries it. */
interface Carried extends CredentialScheme {
  /** Refused without. */
  readonly needed: boolean;
}

const carriedBy = ({ credentials }: Declaration, service: Service): Carried[] =>
  credentials.map((credential) => {
    const { name, optional } = splitCredential(credential);
    return { ...service.credentials[name]!, needed: !optional };
  });

/** Names the acting contact, whom the sandbox knows: no secret. */
const isContact = ({ kind, setting }: Carried) => kind === "header" && setting === "contactId";

/** Lets a call in, or throws the Refusal that the contract has for what is wrong with it. */
export async function admit(
  operation: Declaration,
  request: HttpRequest,
  service: Service,
  world: World,
): Promise<Call> {
  const carried = carriedBy(operation, service);
  const caller = identify(operation, carried, request, world);
  const body = await readBody(operation, request);
  const values = readValues(operation, request, body, world.now);
  const client = clientOf(operation, values, caller.clientIds, world);
  const contactId = contactIdOf(operation, carried.find(isContact), request, caller);
  const contact = contactOf(operation, contactId, client, world);
  return { operation, values, client, contact, request, world };
}

/** Who the credentials say is calling. */
function identify(
  { server }: Declaration,
  carried: readonly Carried[],
  request: HttpRequest,
  world: World,
): Caller {
  const dialect = dialectOf(server);
  const bearer = carried.find(({ kind }) => kind === "bearer");
  for (const each of carried)
    if (each !== bearer && !isContact(each)) checkKey(each, header(request, each.header), dialect);
  return bearer ? checkToken(bearer, request, dialect, world) : { clientIds: world.ownClientIds };
}

function checkKey({ header: name, setting, needed }: Carried, given: string | undefined, { codes }: Dialect) {
  if (given === undefined && !needed) return;
  if (given !== demoCredential(setting))
    throw new Refusal(401, codes.tokenUnknown, `${name} is missing or unknown.`);
}

function checkToken(
  { header: name, needed }: Carried,
  request: HttpRequest,
  { codes, callerOf }: Dialect,
  world: World,
): Caller {
  const token = bearerOf(request, name);
  if (token === undefined && needed) throw new Refusal(401, codes.tokenMissing, "There is no access token.");
  if (token === undefined) return { clientIds: world.ownClientIds };
  const caller = callerOf(token, world);
  if (caller === "unknown") throw new Refusal(401, codes.tokenUnknown, "The access token is unknown.");
  if (caller === "expired") throw new Refusal(401, codes.tokenExpired, "The access token has expired.");
  return caller;
}

/** The fields of the body; none where there is no body. */
async function readBody(operation: Declaration, request: HttpRequest): Promise<Values | undefined> {
  if (!operation.body || request.body.length === 0) return undefined;
  try {
    return await decodeBody(operation, header(request, "content-type"), request.body);
  } catch (error) {
    throw error instanceof UnreadableBody ? unreadable(operation, error) : error;
  }
}

function unreadable(operation: Declaration, { because, message }: UnreadableBody): Refusal {
  if (because === "media-type" && 415 in operation.errors)
    return new Refusal(415, "", "The body's media type is not supported.", message);
  const { invalid } = dialectOf(operation.server).codes;
  return new Refusal(invalidStatus(operation), invalid, "The body cannot be read.", message);
}

const isClientId = ({ by, setting }: Field) => by === "connection" && setting === "clientId";

function readValues(
  operation: Declaration,
  { path, query, headers }: HttpRequest,
  body: Values | undefined,
  now: Date,
): Values {
  // What a caller accepts comes with weights: it is settled where the response is made.
  const { accept: _accept, ...others } = headers;
  const values = decodeRequest(operation, { path, query, headers: others, body });
  const { invalid } = dialectOf(operation.server).codes;
  const clientField = fieldsOf(operation).find(isClientId);
  if (clientField && !values[clientField.name])
    throw new Refusal(
      customerStatusesOf(operation).missing,
      "missing_client_id",
      "The client is missing.",
      `${clientField.name} is required.`,
    );
  const worded = wordingViolations(operation, { query }, body);
  const violations = worded.length > 0 ? worded : checkRequest(operation, values, now);
  if (violations.length > 0)
    throw new Refusal(
      invalidStatus(operation),
      invalid,
      "The request does not fit.",
      describeViolations(violations),
      {},
      violations,
    );
  return withDefaults(operation, values);
}

/** Which status says that the client is missing, another's or unknown: what the contract documents. */
function customerStatusesOf(operation: Declaration): CustomerErrorStatuses & { readonly foreign: number } {
  const { errors } = operation;
  return {
    missing: invalidStatus(operation),
    foreign: 403 in errors ? 403 : 404,
    unknown: 403 in errors && !(404 in errors) ? 403 : 404,
    ...operation.customerErrorStatuses,
  };
}

function clientOf(
  operation: Declaration,
  values: Values,
  clientIds: readonly string[],
  world: World,
): Client {
  const field = fieldsOf(operation).find(isClientId);
  const clientId = field ? String(values[field.name]) : clientIds[0]!;
  const client = world.clients.get(clientId);
  const { foreign, unknown } = customerStatusesOf(operation);
  if (!client) throw new Refusal(unknown, "client_not_found", "There is no such client.", clientId);
  if (!clientIds.includes(clientId))
    throw new Refusal(foreign, "client_mismatch", "The access token is not valid for this client.", clientId);
  return client;
}

/** The contact who is named, else the one the token was given to. */
function contactIdOf(
  operation: Declaration,
  naming: Carried | undefined,
  request: HttpRequest,
  caller: Caller,
): string | undefined {
  if (!naming) return undefined;
  const named = header(request, naming.header);
  if (named) return named;
  if (!naming.needed) return caller.contactId;
  const status = invalidStatus(operation);
  const details = `${naming.header} is required.`;
  throw new Refusal(status, "missing_contact_id", "The contact is missing.", details);
}

function contactOf(
  { errors }: Declaration,
  contactId: string | undefined,
  client: Client,
  world: World,
): Contact | undefined {
  if (contactId === undefined) return undefined;
  const contact = world.contacts.get(contactId);
  if (contact && mayActFor(contact, client)) return contact;
  const message = contact ? "The contact cannot act for this client." : "There is no such contact.";
  const status = [409, 403, 404].find((each) => each in errors)!;
  throw new Refusal(status, "contact_conflict", message, contactId);
}
