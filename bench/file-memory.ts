/**
 * Converts a large statement file to CSV through the library, the command line and a Node-RED node, each in a process of its
 * own, and prints its peak resident memory. FXDESK_RUNS is the number of entries.
 */
import { spawnSync } from "node:child_process";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { readCamtParts, readMt940Parts } from "../core/files";
import { camtText, mt940Text } from "./bank-files";

const entries = Number(process.env.FXDESK_RUNS ?? 450_000);
const service = { FXDESK_BASE_URL: "http://127.0.0.1:1", FXDESK_CLIENT_ID: "c-1" };

async function readAll(path: string): Promise<void> {
  const text = createReadStream(path, "utf8");
  const parts = path.endsWith(".xml") ? readCamtParts(text) : readMt940Parts(text);
  let count = 0;
  for await (const { kind } of parts) if (kind === "entry") count += 1;
  if (count !== entries) throw new Error(`${count} of ${entries} entries were read`);
}

/** Converts by a node, or only starts it, to show what Node-RED itself takes. */
async function convertByNode(path: string): Promise<void> {
  const { deploy, nodes, onCanvas, startNodeRed } = await import("./node-red.js");
  const stop = await startNodeRed(service.FXDESK_BASE_URL);
  const asText = (value: string) => ({ type: "str", value });
  let finish = () => {};
  const converted = new Promise<void>((done) => (finish = done));
  await deploy(
    [
      onCanvas("convert", "fxdesk-convert-statement", ["sink"], {
        fields: { path: asText(path), to: asText("csv") },
        saveTo: asText(`${path}.csv`),
      }),
      onCanvas("sink", "debug", [], { active: false }),
    ],
    (id) => {
      if (id === "sink") finish();
    },
  );
  if (path === "") return stop();
  nodes.getNode("convert").receive({});
  await converted;
  if ((await stat(`${path}.csv`)).size === 0) throw new Error("Nothing was converted");
  await stop();
}

/** Prints the peak memory of a process when it ends. */
const probe = "process.on('exit',()=>console.error(`peak ${process.resourceUsage().maxRSS>>10} MB`))";

function measure(name: string, args: readonly string[]): void {
  const started = Date.now();
  const { stderr, status } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${probe}`, ...args],
    {
      env: { ...process.env, ...service },
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8",
    },
  );
  const [, peak] = /peak (\d+) MB/.exec(stderr) ?? [];
  if (status !== 0) throw new Error(stderr);
  console.log(`${name.padEnd(40)} ${peak} MB  ${Math.round((Date.now() - started) / 1000)} s`);
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  for (const [name, text] of [
    ["camt.xml", camtText(entries)],
    ["mt940.sta", mt940Text(entries)],
  ] as const) {
    const path = join(folder, name);
    await pipeline(text, createWriteStream(path));
    const size = `${Math.round((await stat(path)).size / 1e6)} MB ${name}`;
    measure(`${size}, library`, [__filename, "readAll", path]);
    const call = ["call", "statements.convert", "--to", "csv", "--path", path];
    measure(`${size}, command line`, [
      join(__dirname, "../cli/main.js"),
      ...call,
      "--output",
      join(folder, "out"),
    ]);
    measure(`${size}, node`, [__filename, "convertByNode", path]);
  }
  measure("Node-RED with the node, idle", [__filename, "convertByNode"]);
  await rm(folder, { recursive: true });
}

const [task, path = ""] = process.argv.slice(2);
void (task === undefined ? main() : { readAll, convertByNode }[task]!(path));
