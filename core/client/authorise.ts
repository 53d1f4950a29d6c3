/** The headers in which a call carries its credentials. */
import type { TokenSource } from "../credentials/tokens";
import { Unauthorized } from "../errors";
import type { Declaration } from "../operations/declaration";
import type { CallOptions, Connection } from "./connection";

const noToken = (operation: Declaration, because: string, cause?: unknown) =>
  new Unauthorized(`${operation.name}: No access token. ${because}`, {
    operation: operation.name,
    code: "unauthorized",
    outcome: "not-sent",
    cause,
  });

async function tokenFrom(tokens: TokenSource, operation: Declaration): Promise<string> {
  try {
    return await tokens.get();
  } catch (cause) {
    throw noToken(operation, (cause as Error).message, cause);
  }
}

/**
 * Adds the credentials the operation declares. Answers the access token, for the case that the service refuses it.
 * Throws Unauthorized, with nothing sent, when a token is needed and there is none.
 */
export async function authorise(
  operation: Declaration,
  headers: Record<string, string>,
  { tokens, apiKey, settings }: Connection,
  options: CallOptions,
): Promise<string | undefined> {
  const { credentials } = operation;
  const contactId = options.contactId ?? settings.contactId;
  if (contactId && credentials.some((credential) => credential.startsWith("contactId")))
    headers["X-Contact-ID"] = contactId;
  if (apiKey && credentials.includes("apiKey")) headers["x-api-key"] = apiKey;
  if (!credentials.some((credential) => credential.startsWith("accessToken"))) return undefined;
  if (!tokens) {
    if (credentials.includes("accessToken"))
      throw noToken(operation, "Set the credentials of the connection.");
    return undefined;
  }
  const token = await tokenFrom(tokens, operation);
  headers.authorization = `Bearer ${token}`;
  return token;
}
