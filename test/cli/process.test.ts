/** Tests the built command as a process: exit codes, streams and signals. */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Sandbox } from "@fxdesk/sandbox";
import manifest from "../../package.json";
import { bearer, revisions, token } from "../mcp/support/clients";
import { McpProcess, toolCall } from "../mcp/support/mcp-process";
import { startConnectProxy } from "../support/connect-proxy";
import { companyNetwork } from "../support/company-network";
import { eventually, untilEvent } from "../support/eventually";
import { faultServer, silence } from "../support/fault-server";
import { closeLater, runLater, tempFolder } from "../support/resources";
import { openSandbox } from "../support/sandboxes";
import {
  booking,
  environmentOf,
  failure,
  program,
  spawnFxdesk,
  storeVariables,
  type Variables,
  variablesFor,
  variablesOf,
  updateAliasArgs,
} from "./run-command";

const root = join(__dirname, "../..");

let sandbox: Sandbox;
let variables: Variables;

beforeAll(async () => {
  sandbox = await openSandbox();
  variables = variablesOf(sandbox);
});

test("exits with 7 for an unknown outcome", async () => {
  sandbox.force("trades.book", 502);
  expect((await spawnFxdesk([...booking, "--yes"], { variables })).code).toBe(7);
});

test("an older version of Node.js gets a sentence", async () => {
  const preload = join(await tempFolder(), "old.cjs");
  await writeFile(
    preload,
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.18.3" } });',
  );
  const { code, stdout, stderr } = await spawnFxdesk(["operations"], {
    variables: { NODE_OPTIONS: `--require=${preload}` },
  });
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toBe("fxdesk requires Node.js 20.19 or later; this is 20.18.3.\n");
});

describe("through a proxy with credentials", () => {
  const credentials = "desk:canary-password";
  const reach = async () => {
    const port = Number(new URL(sandbox.baseUrl).port);
    const proxy = await startConnectProxy({ routes: { [`service.test:${port}`]: port }, credentials });
    const baseUrl = `http://service.test:${port}`;
    return { ...proxy, variables: { ...variables, FXDESK_BASE_URL: baseUrl } };
  };

  test("a command calls the service, and its error names the variable", async () => {
    const proxy = await reach();
    const at = `127.0.0.1:${proxy.port}`;
    const args = ["call", "trades.list"];
    const HTTP_PROXY = `http://${credentials}@${at}`;
    const { code } = await spawnFxdesk(args, { variables: { ...proxy.variables, HTTP_PROXY } });
    expect([code, proxy.targets]).toEqual([0, [expect.stringMatching(/^service\.test:/)]]);
    const wrong = { FXDESK_PROXY: `http://${at}`, FXDESK_PROXY_CREDENTIALS: "desk:canary-wrong" };
    const refused = await spawnFxdesk(args, { variables: { ...proxy.variables, ...wrong } });
    expect(refused).toEqual(failure(6, "FXDESK_PROXY_CREDENTIALS"));
    const unsafe = await spawnFxdesk(args, { variables: { ...proxy.variables, FXDESK_PROXY: HTTP_PROXY } });
    expect(unsafe).toEqual(failure(2, "FXDESK_PROXY or --proxy must not contain"));
    expect(JSON.stringify([refused, unsafe])).not.toContain("canary");
  });

  test("a watch reads the service, with a client certificate", async () => {
    const network = await companyNetwork(sandbox.baseUrl);
    const location = join(await tempFolder(), "store.db");
    const given = { ...variables, ...network.variables, ...storeVariables(location) };
    const watch = ["watch", "transactions", "--once", "--jsonl"];
    expect(await spawnFxdesk(watch, { variables: given })).toEqual({ code: 0, stdout: "", stderr: "" });
    const { transaction_id: id } = sandbox.control.payIn({
      currency: "EUR",
      amount: "12.34",
      reference: "P",
    });
    const { stdout } = await spawnFxdesk(watch, { variables: given });
    // On some days, trades of the sandbox settle meanwhile.
    const changes = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    const expected = { watch: "transactions.watch", kind: "new", id };
    expect(changes).toContainEqual(expect.objectContaining(expected));
    expect(network.tunnels()).toBeGreaterThan(1);
  });

  test("an assistant calls the service", async () => {
    const proxy = await reach();
    const served = new McpProcess([], {
      ...(environmentOf(proxy.variables) as Variables),
      FXDESK_PROXY: `http://127.0.0.1:${proxy.port}`,
      FXDESK_PROXY_CREDENTIALS: credentials,
    });
    runLater(() => {
      served.process.stdin.end();
      return served.exit;
    });
    (await served.initialized()).send(toolCall(1, "list_trades", {}));
    await served.until(() => served.result(1) !== undefined);
    expect(served.result(1)).toContain("trade_id");
    expect(proxy.targets).toHaveLength(1);
  });
});

describe("with FXDESK_LOG=json", () => {
  test("each line of a server's log is an object with codes and IDs", async () => {
    const folder = await tempFolder();
    const server = new McpProcess(["--http", "--allow", "money", "--release", "never"], {
      ...(environmentOf(variables) as Variables),
      FXDESK_LOG: "json",
      FXDESK_MCP_TOKEN: token,
      FXDESK_STORE: join(folder, "store.db"),
      FXDESK_PEOPLE: join(folder, "missing.json"),
      NODE_OPTIONS: `--require=${join(root, "test/support/collect-spans.js")}`,
      SPANS_FILE: join(folder, "spans"),
    });
    runLater(() => void server.process.kill("SIGKILL"));
    const lines = () => server.err.split("\n").filter(Boolean);
    await server.until(() => server.err.includes("Press Ctrl-C to stop."));
    const url = /http:[^ ]*\/mcp/.exec(server.err)![0];
    sandbox.force("trades.book", 502);
    const host = await revisions["2026-07-28"].http(url, bearer());
    for (const quote_id of ["q-1", "q-2"])
      await host.callTool({ name: "book_trade", arguments: { quote_id, reason: "other" } });
    await fetch(url, { method: "POST", headers: bearer("a-canary-of-32-characters-or-more"), body: "{}" });
    await fetch(new URL("/ready", url));
    server.process.kill("SIGTERM");
    expect(await server.exit).toBe(0);
    const logged = lines().map((line) => JSON.parse(line) as Record<string, string>);
    expect(logged.every(({ time }) => Date.parse(time!) > 0)).toBe(true);
    expect(logged).toEqual(
      [
        { level: "error", message: /^Personal tokens/ },
        { level: "info", message: /Press Ctrl-C/ },
        { level: "warn", code: "FXDESK_STORE_PLAIN" },
        {
          level: "error",
          message: /^trades.book: outcome unknown/,
          code: "outcome_unknown",
          operation: "trades.book",
          outcome: "unknown",
          trace_id: /^[0-9a-f]{32}$/,
        },
        { level: "warn", code: "not_found", outcome: "rejected", journal_entry: /./ },
        { level: "warn", code: "unauthorized" },
        { level: "error", message: /^\/ready: policy/ },
      ].map((facts) =>
        expect.objectContaining(
          Object.fromEntries(
            Object.entries(facts).map(([name, fact]) => [
              name,
              typeof fact === "string" ? fact : expect.stringMatching(fact),
            ]),
          ),
        ),
      ),
    );
    expect(server.err).not.toContain("canary");
  });

  test("an error that ends a command is an object, and other formats are refused", async () => {
    const FXDESK_LOG = "json";
    const { code, stderr } = await spawnFxdesk([...booking, "--yes"], {
      variables: { ...variablesFor({ url: "http://127.0.0.1:1" }), FXDESK_LOG },
    });
    const logged = stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
    expect([code, logged.at(-1)]).toMatchObject([
      6,
      { level: "error", code: "unavailable", operation: "trades.book", outcome: "not-sent" },
    ]);
    const refused = await spawnFxdesk(["mcp"], { variables: { FXDESK_LOG: "xml" } });
    expect(refused).toEqual(failure(2, 'FXDESK_LOG must be text or json, not "xml".'));
  });
});

/** Copies the program with its dependencies only. */
async function installedAlone(): Promise<string> {
  const folder = await tempFolder();
  for (const part of ["package.json", "dist/cli", "dist/core"])
    await cp(join(root, part), join(folder, part), { recursive: true });
  for (const name of Object.keys(manifest.dependencies)) {
    const place = join(folder, "node_modules", name);
    await mkdir(dirname(place), { recursive: true });
    await symlink(join(root, "node_modules", name), place);
  }
  return folder;
}

describe("without the sandbox's package", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await installedAlone();
  });

  test.each(["sandbox --port 0", "sandbox payIn"])("fxdesk %s prints how to install it", async (line) => {
    expect(await spawnFxdesk(line.split(" "), {}, join(folder, "dist/cli/main.js"))).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "The sandbox is not installed. In a checkout of fxdesk, run: npm install && npm run build. Otherwise, run: npm install @fxdesk/sandbox\n",
    });
  });
});

describe("standard input and output", () => {
  test("prints a long document completely", async () => {
    const { code, stdout } = await spawnFxdesk(["openapi"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty("paths");
  });

  test("exits without a message if stdout is closed", async () => {
    const child = spawn(process.execPath, [program, "call", "trades.list", "--all"], {
      env: environmentOf(variables),
      timeout: 50_000,
    });
    child.stdout.destroy();
    const ended = untilEvent(child, "close", 50_000);
    const stderr = await text(child.stderr);
    expect({ ended: await ended, stderr }).toEqual({ ended: [0, null], stderr: "" });
  });
});

describe("a running command", () => {
  let child: ChildProcessByStdio<null, Readable, Readable>;

  function start(args: readonly string[], given: Variables): void {
    const running = spawn(process.execPath, [program, ...args], {
      env: environmentOf(given),
      stdio: ["ignore", "pipe", "pipe"],
    });
    runLater(() => running.kill("SIGKILL"));
    child = running;
  }

  /** Starts a command and returns its output once it matches and the command is ready. */
  async function started(args: readonly string[], prints: RegExp, given: Variables = {}): Promise<string> {
    start(args, given);
    let [out, err] = ["", ""];
    child.stdout.on("data", (chunk) => (out += String(chunk)));
    child.stderr.on("data", (chunk) => (err += String(chunk)));
    await eventually(() => prints.test(out) && err.includes("Press Ctrl-C to stop."), {
      withinMs: 50_000,
      what: () => `fxdesk ${args.join(" ")} is ready, not: ${out}${err}`,
    });
    return out;
  }

  async function startedSandbox(...flags: readonly string[]): Promise<Variables> {
    const out = await started(["sandbox", "--port", "0", ...flags], /^FXDESK_REFRESH_TOKEN=.*\n/m);
    const lines = out.trim().split("\n");
    return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]));
  }

  async function stoppedBy(signal: NodeJS.Signals): Promise<unknown[]> {
    const exit = untilEvent(child, "exit", 50_000);
    child.kill(signal);
    return exit;
  }

  test("the sandbox prints its variables and stops at a signal", async () => {
    const played = await startedSandbox();
    const { code, stdout } = await spawnFxdesk(["call", "trades.list"], { variables: played });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).not.toHaveLength(0);
    expect(existsSync(dirname(played.FXDESK_STORE!))).toBe(true);
    expect(await stoppedBy("SIGTERM")).toEqual([0, null]);
    expect(existsSync(dirname(played.FXDESK_STORE!))).toBe(false);
  });

  test("the sandbox applies its flags", async () => {
    const flags = ["--now", "2026-11-21T10:00:00Z", "--market-hours", "real", "--total-count"];
    const played = await startedSandbox(...flags);
    const headers = {
      authorization: `Bearer ${played.FXDESK_ACCESS_TOKEN}`,
      "x-api-key": played.FXDESK_API_KEY!,
    };
    const ask = (path: string) =>
      fetch(`${played.FXDESK_BASE_URL}${path}?client_id=client-demo`, { headers });
    expect(await (await ask("/quotes/fx-availability")).json()).toEqual({ fx_available: false });
    expect((await ask("/trades")).headers.get("x-total-count")).toMatch(/^\d+$/);
    expect(await stoppedBy("SIGINT")).toEqual([0, null]);
  });

  test("a call that was interrupted after it was sent may have been carried out", async () => {
    const server = closeLater(await faultServer(silence));
    start(updateAliasArgs, variablesFor(server));
    await eventually(() => server.heads.length > 0, { withinMs: 50_000, what: "a request" });
    const stderr = text(child.stderr);
    expect(await stoppedBy("SIGINT")).toEqual([7, null]);
    expect(await stderr).toBe(
      "accountDetails.updateAlias: Interrupted after it was sent. " +
        "The call may have been carried out: check at the service before you repeat it.\n",
    );
  });

  test("the MCP endpoint over HTTP stops at a signal", async () => {
    expect(await started(["mcp", "--http"], /^$/, variables)).toBe("");
    expect(await stoppedBy("SIGTERM")).toEqual([0, null]);
  });
});

/** True if this user may mount a read-only file system for a process. */
const mayMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

(mayMount ? describe : describe.skip)("on a file system that is read-only", () => {
  /** Runs a command on a store whose folder is read-only. `without` are suffixes of files that are deleted before. */
  async function readStore(word: string, without: readonly string[]) {
    const folder = await tempFolder();
    const path = join(folder, "made.db");
    const store = { FXDESK_STORE: path };
    await spawnFxdesk(["journal", "list"], { variables: store });
    for (const suffix of without) await rm(path + suffix, { force: true });
    const mounted = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
    const line = ["-rm", "sh", "-c", mounted, folder, process.execPath, program, "journal", word];
    return spawnSync("unshare", line, { env: environmentOf(store), encoding: "utf8", timeout: 50_000 });
  }

  test.each(["list", "verify"])("fxdesk journal %s reads a complete store", async (word) => {
    const { status, stderr } = await readStore(word, []);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each(["list", "verify"])(
    "fxdesk journal %s explains how to read a file without its log",
    async (word) => {
      const { status, stdout, stderr } = await readStore(word, ["-wal", "-shm"]);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
      expect(stderr).toMatch(/^The store \S+ is on a read-only file system, .* --store or FXDESK_STORE\.\n$/);
    },
  );
});
