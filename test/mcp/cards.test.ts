/** Cards: which hosts learn of them, and what is served. */
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { Client as ModernClient, InMemoryTransport } from "@modelcontextprotocol/client";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { cardExtension, cardMimeType } from "../../mcp/cards";
import { createToolboxServer } from "../../mcp/server";
import { createLazyToolbox } from "../../mcp/toolbox";
import { closeLater } from "../support/resources";
import type { McpClient } from "./support/clients";

const connect = () => Promise.reject(new Error("No card needs the service."));
const settings = { environment: "sandbox", clientId: 'C-1"><script>' };
const toolbox = createLazyToolbox({
  connect,
  settings,
  service: {
    ...fxdeskService,
    procedures: [...fxdeskService.procedures!, ...fxdeskService.quoteProcedures!],
  },
  toolsets: ["all"],
  allow: ["change", "money"],
});

/** Connects a host that declares extensions. */
async function hostWith(extensions: Record<string, { mimeTypes: string[] }>, Client: typeof OlderClient) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createToolboxServer(toolbox, { subscriptionMode: "nothing" }).connect(far);
  const client = new Client({ name: "test", version: "1.0.0" }, { capabilities: { extensions } });
  await client.connect(near as never);
  return closeLater(client as unknown as McpClient & Pick<OlderClient, "getServerCapabilities">);
}

const clients = { "older SDK": OlderClient, "newer SDK": ModernClient as unknown as typeof OlderClient };

describe.each(Object.entries(clients))("a host with the %s", (_, Client) => {
  test("that shows cards learns which tools have one, and that none may change anything", async () => {
    const host = await hostWith({ [cardExtension]: { mimeTypes: [cardMimeType] } }, Client);
    expect(host.getServerCapabilities()?.extensions).toEqual({ [cardExtension]: {} });
    const { tools } = await host.listTools();
    const uris = tools.flatMap(({ name, _meta }) =>
      _meta?.ui.resourceUri ? [[name, _meta.ui.resourceUri]] : [],
    );
    expect(Object.fromEntries(uris)).toEqual({
      cancel_release: "ui://fxdesk/order",
      get_cash_position: "ui://fxdesk/position",
      get_exposure: "ui://fxdesk/position",
      get_release: "ui://fxdesk/order",
      order_trade: "ui://fxdesk/order",
    });
    for (const { name, annotations, _meta } of tools)
      expect([name, _meta?.ui.visibility]).toEqual([name, annotations.readOnlyHint ? undefined : ["model"]]);
  });

  test("that shows none is not sent their addresses", async () => {
    const { tools } = await (await hostWith({}, Client)).listTools();
    expect(tools.filter(({ _meta }) => _meta)).toEqual([]);
  });
});

test("every card that a tool names is served, names the connection and runs only its own script", async () => {
  const uris = new Set(toolbox.tools.flatMap(({ _meta }) => _meta?.ui.resourceUri ?? []));
  expect(uris.size).toBe(2);
  for (const uri of uris) {
    const { contents } = (await toolbox.read(uri)) as { contents: { mimeType: string; text: string }[] };
    const [{ mimeType, text }] = contents as [{ mimeType: string; text: string }];
    expect(mimeType).toBe(cardMimeType);
    expect(text).toContain(encodeURIComponent("sandbox, client C-1"));
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(text).toMatch(/default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'/);
  }
  expect(await toolbox.read("ui://fxdesk/other")).toBeUndefined();
});
