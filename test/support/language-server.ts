/** Queries a TypeScript language server like an editor, over stdio. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { tsc } from "./consumer-project";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly result?: unknown;
}

/** Splits the output of the server into messages: a header with the length, an empty line, and JSON. */
async function* messagesOf(output: AsyncIterable<Buffer>): AsyncGenerator<Message, void, void> {
  let held = Buffer.alloc(0);
  for await (const chunk of output) {
    held = Buffer.concat([held, chunk]);
    for (let end = held.indexOf("\r\n\r\n"); end >= 0; end = held.indexOf("\r\n\r\n")) {
      const start = end + 4;
      const length = Number(/content-length: (\d+)/i.exec(held.subarray(0, end).toString())![1]);
      if (held.length < start + length) break;
      yield JSON.parse(held.subarray(start, start + length).toString()) as Message;
      held = held.subarray(start + length);
    }
  }
}

/** Returns the hover text of words, at their first occurrence in a file. */
export async function hoverTexts(
  folder: string,
  fileName: string,
  words: readonly string[],
  timeoutMs = 20_000,
): Promise<string[]> {
  const text = await readFile(join(folder, fileName), "utf8");
  const uri = pathToFileURL(join(folder, fileName)).href;
  const server = spawn(process.execPath, [tsc, "--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  const timer = setTimeout(() => server.kill(), timeoutMs);
  const send = (message: object): void => {
    const content = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`);
  };
  const messages = messagesOf(server.stdout as AsyncIterable<Buffer>);
  const ask = async (id: number, method: string, params: object): Promise<unknown> => {
    send({ id, method, params });
    for (let next = await messages.next(); !next.done; next = await messages.next()) {
      const message = next.value;
      if (message.method === undefined && message.id === id) return message.result;
      // The server sends requests, too, for example to register for changes.
      if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null });
    }
    throw new Error(`The language server ended before it responded ${method}.`);
  };
  try {
    const hover = { contentFormat: ["markdown"] };
    const rootUri = pathToFileURL(folder).href;
    await ask(0, "initialize", { processId: null, rootUri, capabilities: { textDocument: { hover } } });
    send({ method: "initialized", params: {} });
    const textDocument = { uri, languageId: "typescript", version: 1, text };
    send({ method: "textDocument/didOpen", params: { textDocument } });
    const shown: string[] = [];
    for (const word of words) {
      const before = text.slice(0, text.indexOf(word)).split("\n");
      const position = { line: before.length - 1, character: before.at(-1)!.length };
      const result = await ask(shown.length + 1, "textDocument/hover", { textDocument: { uri }, position });
      shown.push((result as { contents: { value: string } } | null)?.contents.value ?? "");
    }
    return shown;
  } finally {
    clearTimeout(timer);
    server.kill();
  }
}
