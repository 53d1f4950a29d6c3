/** Whether a connection works: as whom it calls, where, and what the service says to that. */
import type { Declaration } from "../declaration/operation";
import { FxdeskError, Forbidden, InvalidInput, Timeout, Unauthorized, Unavailable } from "../errors";
import { resolveAddress } from "./client-context";
import type { ClientCore } from "./client-types";

/** How a connection stands with the service. */
export interface ConnectionStatus {
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
async function findFailure(client: ClientCore, operation: Declaration): Promise<FxdeskError | undefined> {
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
export async function checkConnection(client: ClientCore): Promise<ConnectionStatus> {
  const { settings, service } = client;
  const operation = service.operations.find(({ name }) => name === service.probe);
  if (!operation) throw new TypeError("The service names no operation by which a connection is tried.");
  const address = resolveAddress(operation.server, service.servers[operation.server]!, settings);
  const error = await findFailure(client, operation);
  return {
    environment: settings.environment,
    address: address && address.origin + address.pathPrefix,
    clientId: settings.clientId,
    contactId: settings.contactId,
    reachable: isReachable(error),
    authorised: isAuthorised(error),
    ...(error && { error }),
  };
}
