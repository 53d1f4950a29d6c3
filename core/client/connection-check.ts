/** Whether a connection works: as whom it calls, where, and what the service says to that. */
import type { Declaration } from "../declaration/operation";
import { FxdeskError, Forbidden, InvalidInput, Timeout, Unauthorized, Unavailable } from "../errors";
import { addressOf } from "./connection";
import type { ClientCore } from "./methods";

/** How a connection stands with the service. */
export interface Standing {
  readonly environment: string | undefined;
  /** Where the service is. */
  readonly address: string | undefined;
  readonly clientId: string | undefined;
  readonly contactId: string | undefined;
  /** Undefined where nothing was sent. */
  readonly reachable: boolean | undefined;
  /** Whether the credentials are good, and for this client; undefined where the service did not come to say it. */
  readonly authorised: boolean | undefined;
  /** Why it does not work. */
  readonly error?: FxdeskError;
}

/** Why the call of an operation fails; undefined where it does not. */
async function failureOf(client: ClientCore, operation: Declaration): Promise<FxdeskError | undefined> {
  try {
    await client.call(operation, {});
    return undefined;
  } catch (error) {
    const isUnsent = error instanceof InvalidInput && error.outcome === "not-sent";
    if (error instanceof FxdeskError && !isUnsent) return error;
    throw error;
  }
}

function isReachable(error: FxdeskError | undefined): boolean | undefined {
  if (!error || error.status !== undefined) return true;
  return error instanceof Unavailable || error instanceof Timeout ? false : undefined;
}

function isAuthorised(error: FxdeskError | undefined): boolean | undefined {
  if (!error) return true;
  return error instanceof Unauthorized || error instanceof Forbidden ? false : undefined;
}

/** Tries a connection by one read. Throws InvalidInput where a setting is missing without which nothing is sent. */
export async function standingOf(client: ClientCore): Promise<Standing> {
  const { settings, service } = client;
  const operation = service.operations.find(({ name }) => name === service.probe);
  if (!operation) throw new TypeError("The service names no operation by which a connection is tried.");
  const address = addressOf(operation.server, service.servers[operation.server]!, settings);
  const error = await failureOf(client, operation);
  return {
    environment: settings.environment,
    address: address && address.origin + address.prefix,
    clientId: settings.clientId,
    contactId: settings.contactId,
    reachable: isReachable(error),
    authorised: isAuthorised(error),
    ...(error && { error }),
  };
}
