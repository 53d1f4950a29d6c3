/** The way from a company to a server of this machine: a proxy with credentials, then TLS with a client certificate. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createServer } from "node:tls";
import { environmentName } from "@fxdesk/toolkit";
import { startConnectProxy } from "./connect-proxy";
import { listen } from "./resources";

const certificate = (name: string) => join(__dirname, "../core/http/certificates", name);
const proxyCredentials = "desk:canary-password";

export interface CompanyNetwork {
  /** Settings of a connection to the server, without credentials. */
  readonly settings: Readonly<
    Record<"baseUrl" | "xs2aUrl" | "proxy" | "ca" | "clientCertificate" | "clientKey", string>
  >;
  readonly credentials: { readonly proxyCredentials: string };
  /** All of them as environment variables. */
  readonly variables: Readonly<Record<string, string>>;
  /** Number of tunnels through the proxy. */
  readonly tunnels: () => number;
}

/** Ends each of two sockets with the other, after its last bytes. */
function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    from
      .on("error", () => undefined)
      .on("close", () => to.destroySoon())
      .pipe(to);
}

/** Puts the network in front of a server of this machine. */
export async function companyNetwork(serverUrl: string): Promise<CompanyNetwork> {
  const port = Number(new URL(serverUrl).port);
  const pem = (name: string) => readFileSync(certificate(name));
  const terminator = createServer(
    {
      key: pem("server.key"),
      cert: pem("server.pem"),
      ca: pem("authority.pem"),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (client) => {
      joinSockets(client, connect(port, "127.0.0.1"));
    },
  );
  const target = "service.test:443";
  const proxy = await startConnectProxy({
    routes: { [target]: await listen(terminator) },
    credentials: proxyCredentials,
  });
  const settings = {
    baseUrl: "https://service.test",
    xs2aUrl: "https://service.test",
    proxy: `http://127.0.0.1:${proxy.port}`,
    ca: certificate("authority.pem"),
    clientCertificate: certificate("client.pem"),
    clientKey: certificate("client.key"),
  };
  const all = Object.entries({ ...settings, proxyCredentials });
  return {
    settings,
    credentials: { proxyCredentials },
    variables: Object.fromEntries(all.map(([name, value]) => [environmentName(name), value])),
    tunnels: () => proxy.targets.length,
  };
}
