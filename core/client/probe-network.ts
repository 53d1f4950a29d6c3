/** Checks the way to a service with one request without credentials. */
import { type ClientContext, createClientContext, resolveAddress } from "../call/client-context";
import type { ClientOptions } from "../call/client-options";
import { Deadline } from "../http/deadline";
import { networkFrom } from "../http/network";
import { errorText, TransportError } from "../http/transport-errors";
import type { Service } from "../spec/service";

export interface NetworkProbe {
  /** Base address of the service; undefined if it is not configured. */
  readonly address?: string;
  /** Proxy on the way, with the setting or variable that names it. */
  readonly proxy?: { readonly address: string; readonly source: string };
  /** Reason why no response arrived. */
  readonly problem?: string;
  /** Milliseconds by which the clock of the service is ahead; undefined if its response has no date. */
  readonly clockOffsetMs?: number;
}

const maxResponseBytes = 64 * 1024;

async function requestDate({ transport, timeoutMs }: ClientContext, origin: string, path: string) {
  const deadline = new Deadline(timeoutMs);
  deadline.startTimeLimit(timeoutMs);
  const startedAt = Date.now();
  const request = { origin, path, method: "HEAD", headers: [], body: null } as const;
  const how = { isFile: () => false, maxResponseBytes, useOwnConnection: true, useNewConnection: true };
  try {
    const { headers } = await transport.send(request, deadline, how);
    const serviceTime = Date.parse(String(headers.date));
    // A date has whole seconds, and was set somewhere between both moments.
    return Number.isNaN(serviceTime) ? undefined : serviceTime + 500 - (startedAt + Date.now()) / 2;
  } finally {
    deadline.release();
  }
}

/** Probes the network. Throws a TypeError for an invalid setting. */
export async function probeNetwork(service: Service, options: ClientOptions): Promise<NetworkProbe> {
  const context = createClientContext(service, options);
  const operation = service.operations.find(({ name }) => name === service.probe);
  const name = operation?.server ?? Object.keys(service.servers)[0]!;
  const found = resolveAddress(name, service.servers[name]!, context.settings);
  if (!found) return {};
  const { origin, pathPrefix } = found;
  const proxy = networkFrom(context.settings).proxyFor(origin);
  const way = {
    address: origin + pathPrefix,
    ...(proxy && { proxy: { address: proxy.url.origin, source: proxy.source } }),
  };
  try {
    const clockOffsetMs = await requestDate(context, origin, `${pathPrefix}/`);
    return { ...way, ...(clockOffsetMs !== undefined && { clockOffsetMs }) };
  } catch (error) {
    const cause = context.secrets.redactError(error instanceof TransportError ? error.cause : error);
    return { ...way, problem: errorText(cause) };
  } finally {
    context.transport.close();
  }
}
