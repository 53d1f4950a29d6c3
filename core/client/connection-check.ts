/** Checks a connection: reachability, credentials and identity. */
import type { Declaration } from "../spec/operation";
import { FxdeskError, Forbidden, InvalidInput, Timeout, Unauthorized, Unavailable } from "../spec/errors";
import { resolveAddress } from "../call/client-context";
import type { ClientCore } from "../api/client-types";

/** Result of a connection check. */
export interface ConnectionStatus {
  readonly environment: string | undefined;
  /** Base address of the service. */
  readonly address: string | undefined;
  readonly clientId: string | undefined;
  readonly contactId: string | undefined;
  /** True if the service responded; undefined if nothing was sent. */
  readonly reachable: boolean | undefined;
  /** True if the service accepts the credentials for this client; undefined if the check did not get that far. */
  readonly authorised: boolean | undefined;
  /** Reason why the check failed. */
  readonly error?: FxdeskError;
}

/** Returns the error of the call, or undefined if it succeeds. */
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

/** Checks a connection with one read. Throws InvalidInput if a setting needed for the read is missing. */
export async function checkConnection(client: ClientCore): Promise<ConnectionStatus> {
  const { settings, service } = client;
  const operation = service.operations.find(({ name }) => name === service.probe);
  if (!operation) throw new TypeError("The service declares no probe operation for connection checks.");
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
