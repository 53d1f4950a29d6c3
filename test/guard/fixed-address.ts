/**
 * Gives a test server an address that is the same in every run. Journal entries, releases and Host headers contain the
 * address, so recordings of them only fit a server that is always found under the same one.
 */
import net from "node:net";

/** The address that clients are configured with. No server listens there. */
export const fixedUrl = "http://127.0.0.1:9";

/** Redirects connections to `fixedUrl` to the port of a local server. Returns a function that ends that. */
export function redirectFixedUrl(url: string): () => void {
  const port = Number(new URL(url).port);
  const connect = net.connect.bind(net) as (options: net.NetConnectOpts) => net.Socket;
  const spy = jest
    .spyOn(net, "connect")
    .mockImplementation(((options: net.TcpNetConnectOpts) =>
      connect(options.port === 9 ? { ...options, port } : options)) as typeof net.connect);
  return () => spy.mockRestore();
}
