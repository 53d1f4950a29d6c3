/** Mutual TLS, with certificates created by certificates/make.sh. */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { inspect } from "node:util";
import type { TlsOptions } from "../../../core";
import { listen } from "../../support/resources";
import { createTestClient, failureOf, tradeInput, disableBackoff } from "../support/client-fixtures";

const pem = (name: string) => readFileSync(join(__dirname, "certificates", name));
const ca = pem("authority.pem");
const passphrase = "canary-passphrase";

/** Serves clients with a certificate of the authority, and records caller and connection. */
async function startTlsServer() {
  const callers: string[] = [];
  const sockets = new Set<TLSSocket>();
  let resumed = 0;
  const server = createServer(
    { key: pem("server.key"), cert: pem("server.pem"), ca, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      callers.push(String(socket.getPeerCertificate().subject?.CN ?? "nobody"));
      if (!sockets.has(socket) && socket.isSessionReused()) resumed += 1;
      sockets.add(socket);
      response.writeHead(request.method === "GET" ? 200 : 201, { "content-type": "application/json" });
      response.end(request.method === "GET" ? "[]" : '{"trade_id":"t-1"}');
    },
  );
  const port = await listen(server);
  return { url: (host = "127.0.0.1") => `https://${host}:${port}`, callers, sockets, resumed: () => resumed };
}

const clientWith = (baseUrl: string, tls?: TlsOptions) =>
  createTestClient({ baseUrl, credentials: { accessToken: "token", ...(tls && { tls }) } });

test.each<[name: string, tls: TlsOptions]>([
  ["a certificate and its key", { cert: pem("client.pem"), key: pem("client.key") }],
  ["a key with a passphrase", { cert: pem("client.pem"), key: pem("client-locked.key"), passphrase }],
  ["a PFX file", { pfx: pem("client.pfx"), passphrase }],
])("presents %s", async (_, tls) => {
  const { url, callers } = await startTlsServer();
  const client = clientWith(url(), { ...tls, ca });
  await client.trades.list();
  await client.trades.book(tradeInput);
  expect(callers).toEqual(["fxdesk test client", "fxdesk test client"]);
});

test("shares a connection for reads, and resumes the session for a booking", async () => {
  const { url, sockets, resumed } = await startTlsServer();
  // Verified by its host name.
  const client = clientWith(url("localhost"), { cert: pem("client.pem"), key: pem("client.key"), ca });
  await client.trades.list();
  await client.trades.list();
  expect(sockets.size).toBe(1);
  await client.trades.book(tradeInput);
  expect([sockets.size, resumed()]).toEqual([2, 1]);
});

const locked = { cert: pem("client.pem"), key: pem("client-locked.key"), ca };
test.each<[name: string, tls: TlsOptions | undefined]>([
  ["no authority", { cert: pem("client.pem"), key: pem("client.key") }],
  ["a key without its passphrase", locked],
  ["a certificate that is none", { cert: "canary-certificate", key: pem("client.key"), ca }],
])("fails with not-sent for %s", async (_, tls) => {
  disableBackoff();
  const { url, callers } = await startTlsServer();
  const error = await failureOf(clientWith(url(), tls).trades.book(tradeInput));
  expect(error).toMatchObject({ code: "unavailable", outcome: "not-sent" });
  expect(inspect(error, { depth: null })).not.toContain("canary");
  expect(callers).toEqual([]);
});

test("reports a server that requires a certificate", async () => {
  disableBackoff();
  const { url, callers } = await startTlsServer();
  const error = await failureOf(clientWith(url(), { ca }).trades.book(tradeInput));
  // TLS 1.3 refuses the client after its handshake, so the request may have been sent.
  expect(["unavailable", "outcome_unknown"]).toContain(error.code);
  expect(callers).toEqual([]);
});
