/** Passes MCP on standard input and output on to `fxdesk mcp`, and records the messages: relay.js <record> <flags>. */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [record, ...flags] = process.argv.slice(2);
const server = spawn(process.execPath, [join(__dirname, "../cli/main.js"), "mcp", ...flags], {
  stdio: ["pipe", "pipe", "inherit"],
});

function relay(from: NodeJS.ReadableStream, to: NodeJS.WritableStream): void {
  createInterface({ input: from })
    .on("line", (line) => {
      appendFileSync(record!, `${line}\n`);
      to.write(`${line}\n`);
    })
    .on("close", () => to.end());
}

relay(process.stdin, server.stdin);
relay(server.stdout, process.stdout);
server.on("exit", (code) => process.exit(code ?? 1));
