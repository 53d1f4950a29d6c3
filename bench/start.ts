/** Measures the start of Node-RED until its flows run: without fxdesk, with it, and with a flow that uses it. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inTurn, median, printRow } from "./compare";
import { createUserDir, root } from "./node-red";
import { msUntilReady } from "./ready";

const rounds = 15;

const flow = [
  { id: "tab", type: "tab", label: "Bench" },
  { id: "connection", type: "fxdesk-connection", fromEnvironment: true },
  { id: "trades", type: "fxdesk-list-trades", z: "tab", x: 0, y: 0, connection: "connection", wires: [[]] },
];

interface Candidate {
  readonly name: string;
  readonly flow: readonly object[];
  /** Package folders that Node-RED excludes. */
  readonly excluded: readonly string[];
}

const candidates: readonly Candidate[] = [
  { name: "Node-RED", flow: [], excluded: ["toolkit"] },
  { name: "with fxdesk, no flow", flow: [], excluded: [] },
  { name: "with fxdesk, a flow of one node", flow, excluded: [] },
];

/** Creates a user directory with initial settings and flows. */
async function userDirOf({ flow: nodes, excluded }: Candidate): Promise<string> {
  const userDir = await createUserDir();
  const settings = {
    uiHost: "127.0.0.1",
    uiPort: 0,
    flowFile: "flows.json",
    credentialSecret: "bench",
    telemetry: { enabled: false },
    // Excludes other packages of this repository.
    nodesExcludes: ["node-red-dashboard", "node-red-node-email", ...excluded],
  };
  await writeFile(join(userDir, "settings.js"), `module.exports = ${JSON.stringify(settings)};\n`);
  await writeFile(join(userDir, "flows.json"), JSON.stringify(nodes));
  return userDir;
}

function startMs(userDir: string): Promise<number> {
  const args = ["--userDir", userDir, "--settings", join(userDir, "settings.js")];
  return msUntilReady(join(root, "node_modules/node-red/red.js"), args, "Started flows");
}

export async function benchStart(): Promise<void> {
  const userDirs = await Promise.all(candidates.map(userDirOf));
  const starts = userDirs.map((userDir) => () => startMs(userDir));
  // The first round fills the disk cache and is discarded.
  await inTurn(starts, 1);
  const times = await inTurn(starts, rounds);
  await Promise.all(userDirs.map((userDir) => rm(userDir, { recursive: true })));
  console.log(`Start of Node-RED until its flows run; median of ${rounds}, and of what a round took more`);
  for (const [index, { name }] of candidates.entries()) {
    const more = median(times[index]!.map((ms, round) => ms - times[0]![round]!));
    printRow(name, median(times[index]!), "ms", `${more.toFixed(0)} ms more`);
  }
}
