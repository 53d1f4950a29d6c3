/**
 * Gives a test server an address that is the same in every run. Journal entries, releases and Host headers contain the
 * address, so recordings of them only fit a server that is always found under the same one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import net from "node:net";

/** The address that clients are configured with. No server listens there. */
export const fixedUrl = "http://127.0.0.1:9";

/** Port of the server that the running test uses. Tests run concurrently, each with a server of its own. */
const serverPort = new AsyncLocalStorage<number>();

/** Runs `work`, whose connections to `fixedUrl` go to a local server. */
export const withFixedUrl = <T>(url: string, work: () => Promise<T>): Promise<T> =>
  serverPort.run(Number(new URL(url).port), work);

const connect = net.connect.bind(net) as (options: net.NetConnectOpts) => net.Socket;
let spy: jest.SpyInstance;
beforeAll(() => {
  spy = jest
    .spyOn(net, "connect")
    .mockImplementation(((options: net.TcpNetConnectOpts) =>
      connect(
        options.port === 9 ? { ...options, port: serverPort.getStore()! } : options,
      )) as typeof net.connect);
});
afterAll(() => spy.mockRestore());
