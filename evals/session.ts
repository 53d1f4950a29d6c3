/** A session of an assistant with the MCP server, and its record: the messages of the protocol in both directions. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createMcpServer } from "../mcp";
import type { Desk } from "./desk";
import type { Offered, Use } from "./task";

/** A message of JSON-RPC. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
}

export interface RecordedCall {
  readonly tool: string;
  readonly input: object;
  /** Size of the text of the result, four bytes per token. */
  readonly tokens: number;
}

const textOf = (result: unknown): string =>
  ((result as { content?: { text?: string }[] } | undefined)?.content ?? [])
    .map(({ text = "" }) => text)
    .join("\n");

/** Returns the tool calls of a session. A call that repeats another with the same result only waited, and is left out. */
export function callsOf(messages: readonly Message[]): RecordedCall[] {
  const results = new Map(
    messages.filter(({ method }) => method === undefined).map(({ id, result }) => [id, textOf(result)]),
  );
  const seen = new Set<string>();
  return messages.flatMap(({ id, method, params }) => {
    if (method !== "tools/call") return [];
    const { name: tool, arguments: input = {} } = params as { name: string; arguments?: object };
    const text = results.get(id) ?? "";
    const call = JSON.stringify([tool, input, text]);
    if (seen.has(call)) return [];
    seen.add(call);
    return [{ tool, input, tokens: Math.ceil(Buffer.byteLength(text) / 4) }];
  });
}

/** Opens a session in this process, through the real protocol layer. */
export async function openSession(
  desk: Desk,
  offered: Offered,
): Promise<{
  readonly use: Use;
  readonly messages: readonly Message[];
  readonly close: () => Promise<void>;
}> {
  const server = createMcpServer({ client: desk.client("desk", "of the assistant"), ...offered });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const messages: Message[] = [];
  for (const transport of [near, far]) {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      messages.push(message as Message);
      return send(message, options);
    };
  }
  await server.connect(far);
  const client = new Client({ name: "evals", version: "1.0.0" });
  await client.connect(near);
  return {
    async use(name, input = {}) {
      const result = await client.callTool({ name, arguments: input });
      const content = (result.structuredContent ?? {}) as object;
      return result.isError ? { ...content, error: textOf(result) } : content;
    },
    messages,
    async close() {
      await client.close();
      await server.close();
    },
  };
}
