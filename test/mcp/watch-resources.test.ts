/** Watches as resources: read by any host, and subscribed to over long-lived connections. */
import { fxdeskService } from "../../core/client/fxdesk-service";
import { serveOverHttp } from "../../mcp/http";
import { createLazyToolbox } from "../../mcp/toolbox";
import { createToolbox } from "../../mcp/toolbox";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { createClient } from "../../core";
import { serveHttp } from "../../mcp";
import { eventually } from "../support/eventually";
import { withAssistant } from "../support/surfaces";
import { things, thingsService } from "../support/things-watch";
import { demoEnvironment, fxdeskMcp, type McpClient, revisions } from "./support/clients";

const client = createClient({ baseUrl: "http://127.0.0.1:9", clientId: "C" }, thingsService);
afterAll(() => client.close());
beforeEach(() => things.clear());

const updated = "notifications/resources/updated";

interface Read {
  readonly contents: readonly unknown[];
}
const contentOf = ({ contents: [first] }: Read) =>
  JSON.parse((first as { text: string }).text) as { count: number; cursor: string; changes: any[] };

const changesIn = (read: Read) => contentOf(read).changes.map(({ kind, id }) => [kind, id]);

test("lists watches with templates for their arguments", async () => {
  await withAssistant({ client }, async (assistant) => {
    expect((await assistant.listResources()).resources).toEqual([
      {
        uri: "fxdesk://watches/watch_things",
        name: "watch_things",
        title: "Watch things",
        description: "Tells things that come, go or turn.",
        mimeType: "application/json",
      },
    ]);
    expect((await assistant.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: "fxdesk://watches/watch_things{?colours,cursor}" },
    ]);
  });
  await withAssistant({ client, toolsets: ["login"] }, async (assistant) => {
    expect((await assistant.listResources()).resources).toEqual([]);
    await expect(assistant.readResource({ uri: "fxdesk://watches/watch_things" })).rejects.toThrow(
      "not offered",
    );
  });
});

test("returns new changes when read, and none that a cursor acknowledges", async () => {
  await withAssistant({ client }, async (assistant) => {
    const uri = "fxdesk://watches/watch_things?colours=red&colours=blue";
    things.set("1", "red").set("2", "blue").set("3", "green");
    const first = await assistant.readResource({ uri });
    expect(changesIn(first)).toEqual([
      ["new", "1"],
      ["new", "2"],
    ]);
    const { cursor } = contentOf(first);
    expect(changesIn(await assistant.readResource({ uri: `${uri}&cursor=${cursor}` }))).toEqual([]);
    await expect(assistant.readResource({ uri: `${uri}&size=2` })).rejects.toThrow(
      "size is not an argument of this tool",
    );
  });
});

test("accepts subscriptions to watches only, also before the client is loaded", async () => {
  const connect = jest.fn();
  const lazy = createLazyToolbox({ connect, settings: {}, service: fxdeskService });
  const subscribe = (tool: string) =>
    lazy.subscribe(`fxdesk://watches/${tool}`, () => undefined, new AbortController().signal);
  expect([subscribe("list_trades"), subscribe("watch_consents")]).toEqual([false, false]);
  expect(connect).not.toHaveBeenCalled();
});

test("notifies a subscribed host, which reads each change once", async () => {
  await withAssistant({ client }, async (assistant) => {
    const received: string[] = [];
    assistant.setNotificationHandler(updated, ({ params }) => void received.push(params.uri));
    const uri = "fxdesk://watches/watch_things?colours=white";
    await assistant.subscribeResource({ uri });
    expect(changesIn(await assistant.readResource({ uri }))).toEqual([]);
    const found: unknown[] = [];
    for (const id of ["7", "8"]) {
      things.set(id, "white");
      const before = found.length;
      await eventually(() => received.length > before, {
        withinMs: 10_000,
        what: `a notification about ${id}`,
      });
      found.push(...changesIn(await assistant.readResource({ uri })));
    }
    expect(found).toEqual([
      ["new", "7"],
      ["new", "8"],
    ]);
    expect(received).toEqual([uri, uri]);
    await assistant.unsubscribeResource({ uri });
    await expect(assistant.subscribeResource({ uri: "fxdesk://watches/watch_others" })).rejects.toThrow(
      "There is no watch",
    );
  });
});

/** Methods that the clients of both SDKs have for subscriptions. */
interface Listens {
  getServerCapabilities(): object;
  setNotificationHandler(method: unknown, handler: (notification: any) => void): void;
  subscribeResource(params: { uri: string }): Promise<unknown>;
  listen(filter: { resourceSubscriptions: string[] }): Promise<{ close(): Promise<void> }>;
}

describe("over HTTP, on a separate stream", () => {
  const uriOf = (colour: string) => `fxdesk://watches/watch_things?colours=${colour}`;
  const within = { withinMs: 10_000, what: "a notification" };

  /** Returns a subscribed assistant and the notifications it received. */
  async function listening(url: string, ...uris: string[]) {
    const assistant = await revisions["2026-07-28"].http(url);
    const listens = assistant as unknown as Listens;
    const received: string[] = [];
    listens.setNotificationHandler(updated, ({ params }) => void received.push(params.uri));
    const stream = await listens.listen({ resourceSubscriptions: uris });
    return { assistant, received, stream };
  }

  test("notifies and returns each change once for the subscribed URIs", async () => {
    const server = await serveHttp({ client });
    const [mine, others] = [uriOf("pink"), uriOf("grey")];
    const { assistant, received } = await listening(server.url, mine);
    const found: unknown[] = [];
    for (const id of ["20", "21"]) {
      things.set(`${id}-grey`, "grey").set(id, "pink");
      const before = found.length;
      await eventually(() => received.length > before, within);
      found.push(...changesIn(await assistant.readResource({ uri: mine })));
    }
    expect(found).toEqual([
      ["new", "20"],
      ["new", "21"],
    ]);
    expect(received).toEqual([mine, mine]);
    expect(changesIn(await assistant.readResource({ uri: others }))).toHaveLength(2);
    await assistant.close();
    await server.close();
  });

  test("notifies all listeners of a URI, and the remaining ones after others left", async () => {
    const server = await serveHttp({ client });
    const uri = uriOf("brown");
    const [first, second] = [await listening(server.url, uri), await listening(server.url, uri)];
    things.set("30", "brown");
    await eventually(() => first.received.length > 0 && second.received.length > 0, within);
    expect(changesIn(await second.assistant.readResource({ uri }))).toEqual([["new", "30"]]);
    await first.stream.close();
    await first.assistant.close();
    const before = second.received.length;
    things.set("31", "brown");
    await eventually(() => second.received.length > before, within);
    expect(changesIn(await second.assistant.readResource({ uri }))).toEqual([["new", "31"]]);
    await second.assistant.close();
    await server.close();
  });

  test("stops watching for a disconnected host, and ends streams when the server closes", async () => {
    const ends: AbortSignal[] = [];
    const tools = createToolbox({ client });
    const subscribe: typeof tools.subscribe = (address, tell, signal) => {
      ends.push(signal);
      return tools.subscribe(address, tell, signal);
    };
    const server = await serveOverHttp({ ...tools, subscribe }, {});
    const closed = await listening(server.url, uriOf("gold"));
    await eventually(() => ends.length === 1, within);
    await closed.assistant.close();
    await eventually(() => ends[0]!.aborted, within);
    const stays = await listening(server.url, uriOf("gold"));
    await eventually(() => ends.length === 2, within);
    await server.close();
    await eventually(() => ends[1]!.aborted, within);
    await stays.assistant.close();
  });
});

describe("over stdio, started by a host", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox({ daysBehind: 5 });
  });
  afterAll(() => sandbox.close());

  test.each(["2026-07-28", "2025-11-25"] as const)("notifies in revision %s", async (revision) => {
    const environment = {
      ...demoEnvironment(sandbox),
      FXDESK_STORE: `${process.env.XDG_STATE_HOME}/${revision}.db`,
    };
    const assistant: McpClient = await revisions[revision].stdio(fxdeskMcp([], environment));
    const listens = assistant as unknown as Listens;
    const uri = "fxdesk://watches/watch_balances?currencies=EUR&above=0";
    let received = 0;
    if (revision === "2026-07-28") {
      listens.setNotificationHandler(updated, () => (received += 1));
      await listens.listen({ resourceSubscriptions: [uri] });
    } else {
      const { ResourceUpdatedNotificationSchema } = await import("@modelcontextprotocol/sdk/types.js");
      listens.setNotificationHandler(ResourceUpdatedNotificationSchema, () => (received += 1));
      await listens.subscribeResource({ uri });
    }
    await eventually(() => received > 0, { withinMs: 20_000, what: "a notification" });
    expect(contentOf(await assistant.readResource({ uri })).changes[0]).toMatchObject({
      kind: "new",
      entry: { currency: "EUR", type: "InterimAvailable" },
    });
    await assistant.close();
  });
});
