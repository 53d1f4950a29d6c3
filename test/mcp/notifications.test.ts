/** Notifications to hosts: progress of procedures, and changes of watches, which are resources to read and subscribe to. */
import { createClient } from "../../core";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { serveOverHttp } from "../../mcp/http";
import { createLazyToolbox, createToolbox } from "../../mcp/toolbox";
import { eventually } from "../support/eventually";
import { closeLater } from "../support/resources";
import { numbersService, runs } from "../support/numbers-procedure";
import { withAssistant } from "../support/surfaces";
import { things, thingsService } from "../support/things-watch";
import { revisions, serve } from "./support/clients";

const nowhere = { baseUrl: "http://127.0.0.1:9", clientId: "C" };
const client = closeLater(createClient(nowhere, thingsService));
beforeEach(() => things.clear());

describe("progress", () => {
  const counting = closeLater(createClient(nowhere, numbersService));

  interface Step {
    readonly progress: number;
    readonly total?: number | undefined;
    readonly message?: string | undefined;
  }

  /** Call options that the clients of both SDKs share. */
  interface Listening {
    readonly onprogress?: (step: Step) => void;
  }
  type Calls = (params: { name: string; arguments: object }, ...rest: unknown[]) => Promise<unknown>;

  const steps = [0, 1, 2].map((progress) => ({ progress, total: 3, message: "Counting" }));
  const asked = { name: "list_numbers", arguments: { many: 1, steps: 3 } };

  test("is sent over HTTP in addition to the result", async () => {
    const server = await serve({ client: counting });
    const assistant = await revisions["2026-07-28"].http(server.url);
    const received: Step[] = [];
    const listening: Listening = { onprogress: (step) => received.push(step) };
    const result = await (assistant.callTool as Calls).call(assistant, asked, listening);
    expect(result).toMatchObject({ structuredContent: { count: 1 } });
    expect(received).toEqual(steps);
  });

  test("is sent to a host with a progress token until it cancels, which stops the procedure", async () => {
    await withAssistant({ client: counting }, async (assistant) => {
      runs.count = 0;
      const cancel = new AbortController();
      const args = { many: 1, steps: 1_000, pause_ms: 50 };
      const received: Step[] = [];
      const call = assistant.callTool(
        { name: "list_numbers", arguments: args },
        { signal: cancel.signal, onprogress: (step: Step) => received.push(step) },
      );
      const ended = call.catch((error: Error) => error.message);
      await eventually(() => received.length >= 2, { withinMs: 20_000, what: "progress" });
      cancel.abort("enough");
      expect(await ended).toContain("enough");
      const last = received.length;
      expect(await assistant.callTool(asked)).toMatchObject({ structuredContent: { count: 1 } });
      expect([runs.count, received.length]).toEqual([2, last]);
    });
  });
});

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
    const empty = await assistant.readResource({ uri });
    expect(changesIn(empty)).toEqual([]);
    expect(contentOf(empty)).toMatchObject({ last_read: expect.stringMatching(/^\d{4}-.*Z$/) });
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

/** Methods that the client of the newer SDK has for subscriptions. */
interface Listens {
  setNotificationHandler(method: unknown, handler: (notification: any) => void): void;
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
    const server = await serve({ client });
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
  });

  test("notifies all listeners of a URI, and the remaining ones after others left", async () => {
    const server = await serve({ client });
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
  });

  test("stops watching for a disconnected host, and ends streams when the server closes", async () => {
    const ends: AbortSignal[] = [];
    const tools = createToolbox({ client });
    const subscribe: typeof tools.subscribe = (address, tell, signal) => {
      ends.push(signal);
      return tools.subscribe(address, tell, signal);
    };
    const server = await serveOverHttp({ ...tools, subscribe }, { restrict: () => tools });
    const closed = await listening(server.url, uriOf("gold"));
    await eventually(() => ends.length === 1, within);
    await closed.assistant.close();
    await eventually(() => ends[0]!.aborted, within);
    await listening(server.url, uriOf("gold"));
    await eventually(() => ends.length === 2, within);
    await server.close();
    await eventually(() => ends[1]!.aborted, within);
  });
});
