/** Measures the start of Node-RED until its flows run: without fxdesk, with it, and with a flow that uses it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { median } from "./compare";

const rounds = 15;
const root = join(__dirname, "../..");

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
  const userDir = await mkdtemp(join(tmpdir(), "bench-"));
  await mkdir(join(userDir, "node_modules/@fxdesk"), { recursive: true });
  await symlink(root, join(userDir, "node_modules/@fxdesk/toolkit"));
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

/** Starts Node-RED, and stops it when its flows run. */
async function startMs(userDir: string): Promise<number> {
  const script = join(root, "node_modules/node-red/red.js");
  const args = [script, "--userDir", userDir, "--settings", join(userDir, "settings.js")];
  const begin = performance.now();
  const nodeRed = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(nodeRed, "exit");
  try {
    for await (const line of createInterface({ input: nodeRed.stdout }))
      if (line.includes("Started flows")) return performance.now() - begin;
    throw new Error("Node-RED ended before its flows ran.");
  } finally {
    nodeRed.kill();
    await ended;
  }
}

export async function benchStart(): Promise<void> {
  const userDirs = await Promise.all(candidates.map(userDirOf));
  const times = candidates.map((): number[] => []);
  try {
    // The first round fills the disk cache and is discarded.
    for (let round = 0; round <= rounds; round += 1)
      for (const [index, userDir] of userDirs.entries()) {
        const ms = await startMs(userDir);
        if (round > 0) times[index]!.push(ms);
      }
  } finally {
    await Promise.all(userDirs.map((userDir) => rm(userDir, { recursive: true })));
  }
  console.log(`Start of Node-RED until its flows run; median of ${rounds}, and of what a round took more`);
  for (const [index, { name }] of candidates.entries()) {
    const ms = median(times[index]!).toFixed(0);
    const added = median(times[index]!.map((each, round) => each - times[0]![round]!)).toFixed(0);
    console.log(`  ${name.padEnd(34)} ${ms.padStart(8)} ms  ${added.padStart(5)} ms more`);
  }
}
