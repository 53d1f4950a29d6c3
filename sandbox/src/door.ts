/** The door before every operation: who calls, with what, and for whom. */
import {
  checkRequest,
  type ClientRefusals,
  type Declaration,
  decodeBody,
  decodeRequest,
  type Field,
  fieldsOf,
  inWords,
  UnreadableBody,
  type Values,
  withDefaults,
} from "@fxdesk/toolkit/operations";
import type { Call } from "./behaviour";
import { bearerOf, header, type HttpRequest } from "./http";
import { doorCodesOf, invalidStatus, Refusal } from "./refusal";
import { type Client, type Contact, mayActFor } from "./world/parties";
import type { Grant } from "./world/tokens";
import type { World } from "./world/world";

/** Who calls: for which clients, and by whose token where somebody logged in. */
type Caller = Pick<Grant, "clientIds"> & Partial<Pick<Grant, "contactId">>;

/** Lets a call in, or throws the Refusal that the contract has for what is wrong with it. */
export async function admit(operation: Declaration, request: HttpRequest, world: World): Promise<Call> {
  const caller = identify(operation, request, world);
  const body = await readBody(operation, request);
  const values = readValues(operation, request, body, world.now);
  const client = clientOf(operation, values, caller.clientIds, world);
  const contact = contactOf(operation, contactIdOf(operation, request, caller), client, world);
  return { operation, values, client, contact, request, world };
}

/** Who the credentials say is calling. */
function identify(operation: Declaration, request: HttpRequest, world: World): Caller {
  const { credentials, server } = operation;
  const codes = doorCodesOf(server);
  if (credentials.includes("apiKey") && header(request, "x-api-key") !== world.apiKey)
    throw new Refusal(401, codes.tokenUnknown, "The API key is missing or unknown.");
  const bearer = bearerOf(request);
  if (bearer === undefined) {
    if (credentials.includes("accessToken"))
      throw new Refusal(401, codes.tokenMissing, "There is no access token.");
    return { clientIds: world.ownClientIds };
  }
  if (!credentials.some((credential) => credential.startsWith("accessToken")))
    return { clientIds: world.ownClientIds };
  const grant = checked(bearer, server, world);
  if (grant === "unknown") throw new Refusal(401, codes.tokenUnknown, "The access token is unknown.");
  if (grant === "expired") throw new Refusal(401, codes.tokenExpired, "The access token has expired.");
  return grant;
}

/** For whom a token is. On the open-banking interfaces it may be one that a person gave for a consent or a payment. */
function checked(
  bearer: string,
  server: string,
  { tokens, openBanking, now }: World,
): Caller | "unknown" | "expired" {
  const given = server === "xs2a" ? openBanking.tokens.check(bearer, now) : "unknown";
  return given === "unknown" ? tokens.check(bearer, now) : given;
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
  const { invalid } = doorCodesOf(operation.server);
  return new Refusal(invalidStatus(operation), invalid, "The body cannot be read.", message);
}

const isClientId = ({ by, setting }: Field) => by === "connection" && setting === "clientId";

function readValues(
  operation: Declaration,
  { path, query, headers }: HttpRequest,
  body: Values | undefined,
  now: Date,
): Values {
  // What a caller accepts comes with weights: it is settled where the answer is made.
  const { accept: _accept, ...others } = headers;
  const values = decodeRequest(operation, { path, query, headers: others, body });
  const { invalid } = doorCodesOf(operation.server);
  const clientField = fieldsOf(operation).find(isClientId);
  if (clientField && !values[clientField.name])
    throw new Refusal(
      clientRefusals(operation).missing,
      "missing_client_id",
      "The client is missing.",
      `${clientField.name} is required.`,
    );
  const problems = checkRequest(operation, values, now);
  if (problems.length > 0)
    throw new Refusal(invalidStatus(operation), invalid, "The request does not fit.", inWords(problems));
  return withDefaults(operation, values);
}

/** Which status says that the client is missing, another's or unknown: what the contract documents. */
function clientRefusals(operation: Declaration): ClientRefusals & { readonly foreign: number } {
  const { errors } = operation;
  return {
    missing: invalidStatus(operation),
    foreign: 403 in errors ? 403 : 404,
    unknown: 403 in errors && !(404 in errors) ? 403 : 404,
    ...operation.clientRefusals,
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
  const { foreign, unknown } = clientRefusals(operation);
  if (!client) throw new Refusal(unknown, "client_not_found", "There is no such client.", clientId);
  if (!clientIds.includes(clientId))
    throw new Refusal(foreign, "client_mismatch", "The access token is not valid for this client.", clientId);
  return client;
}

/** The contact who is named, else the one the token was given to. */
function contactIdOf(operation: Declaration, request: HttpRequest, caller: Caller): string | undefined {
  const { credentials } = operation;
  if (!credentials.some((credential) => credential.startsWith("contactId"))) return undefined;
  const named = header(request, "x-contact-id");
  if (named) return named;
  if (!credentials.includes("contactId")) return caller.contactId;
  const status = invalidStatus(operation);
  throw new Refusal(status, "missing_contact_id", "The contact is missing.", "X-Contact-ID is required.");
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
  const says = contact ? "The contact cannot act for this client." : "There is no such contact.";
  const status = [409, 403, 404].find((each) => each in errors)!;
  throw new Refusal(status, "contact_conflict", says, contactId);
}
