/** Runs the surfaces of a declaration in this process. */
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { runCommandLine } from "../../cli/main";
import type { Service } from "../../core/operations";
import { createMcpServer } from "../../mcp";

/** Connects an assistant to its own MCP server. */
export async function withAssistant<T>(
  options: Parameters<typeof createMcpServer>[0],
  action: (assistant: Client) => Promise<T>,
): Promise<T> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createMcpServer(options).connect(near);
  const assistant = new Client({ name: "test", version: "1" });
  await assistant.connect(far);
  try {
    return await action(assistant);
  } finally {
    await assistant.close();
  }
}

/** Returns the output of the command line. */
export async function runForOutput(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  called?: Service,
): Promise<string> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = Promise.all([text(stdout), text(stderr)]);
  const code = await runCommandLine(args, { stdin: Readable.from([]), stdout, stderr, environment }, called);
  stdout.end();
  stderr.end();
  const [out, err] = await streams;
  expect([code, err]).toEqual([0, ""]);
  return out;
}
