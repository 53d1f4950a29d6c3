/**
 * A real Node-RED in a process of its own, driven as its editor drives it: admin API and comms socket. It ends with the test that
 * started it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WebSocket } from "undici";
import { eventually, untilEvent } from "../../support/eventually";
import { closeLater, tempFolder } from "../../support/resources";

export const root = join(__dirname, "../../..");

/** A node of a flow, as flows.json holds it. */
export interface FlowNode {
  readonly id: string;
  readonly type: string;
  readonly [property: string]: unknown;
}

/** A message of a flow. */
export type Message = Record<string, any>;

export interface NodeStatus {
  readonly text?: string;
  readonly fill?: string;
  readonly shape?: string;
}

export interface NodeRedOptions {
  /** The node binary and Node-RED's start script; by default those of this repository. */
  readonly node?: string;
  readonly script?: string;
  /** A user directory with the package in it; by default a new one with a link to this repository. */
  readonly userDir?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Additional settings of the settings file. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The look of the editor; its own unless one is named. */
  readonly theme?: string;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await untilEvent(server, "listening");
  const { port } = server.address() as AddressInfo;
  await untilEvent(server.close(), "close");
  return port;
}

/** Said of all flows, or of those that a deploy changed: "Started modified nodes". */
const startedPattern = /Started (modified )?(flows|nodes)/;

/** Maximum waiting time on a busy machine. */
const withinMs = 50_000;

const settings = {
  uiHost: "127.0.0.1",
  flowFile: "flows.json",
  credentialSecret: "test",
  debugMaxLength: 1_000_000,
  logging: { console: { level: "info", metrics: false, audit: false } },
  telemetry: { enabled: false },
  editorTheme: { tours: false, palette: { catalogues: [] } },
  externalModules: { palette: { allowInstall: false } },
  // Those of others lie beside it for some tests; loading them takes its time.
  nodesExcludes: ["node-red-dashboard", "node-red-node-email"],
};

export async function linkedUserDir(): Promise<string> {
  const userDir = await tempFolder();
  await mkdir(join(userDir, "node_modules/@fxdesk"), { recursive: true });
  await symlink(root, join(userDir, "node_modules/@fxdesk/toolkit"));
  return userDir;
}

interface CommsMessage {
  /** None where Node-RED asks who is there. */
  readonly topic?: string;
  readonly data: unknown;
}

/** Node-RED takes what has wires but no place on the canvas for a config node. */
const withCanvasPosition = (node: FlowNode): FlowNode => ("wires" in node ? { x: 0, y: 0, ...node } : node);

/** Output of a Debug node; objects as JSON text. */
interface DebugEntry {
  readonly id: string;
  readonly format: string;
  readonly msg: unknown;
}

function parseDebugValue({ msg }: DebugEntry): unknown {
  try {
    return typeof msg === "string" ? JSON.parse(msg) : msg;
  } catch {
    return msg;
  }
}

export class NodeRed {
  readonly log: string[] = [];
  readonly #statuses = new Map<string, NodeStatus>();
  readonly #debugValues: { id: string; value: unknown }[] = [];
  #stops = 0;
  /** The flows of the last deploy. */
  #deployed = "";
  #socket: WebSocket | undefined;

  private constructor(
    readonly url: string,
    readonly userDir: string,
    readonly process: ChildProcess,
  ) {
    for (const stream of [process.stdout!, process.stderr!])
      createInterface(stream).on("line", (line) => this.log.push(line));
  }

  static async start(options: NodeRedOptions = {}): Promise<NodeRed> {
    const {
      node = globalThis.process.execPath,
      script = join(root, "node_modules/node-red/red.js"),
      env = {},
    } = options;
    const userDir = options.userDir ?? (await linkedUserDir());
    const port = await freePort();
    const settingsFile = join(userDir, "settings.js");
    const editorTheme = { ...settings.editorTheme, ...(options.theme && { theme: options.theme }) };
    const all = { ...settings, editorTheme, ...options.settings, uiPort: port };
    await writeFile(settingsFile, `module.exports = ${JSON.stringify(all)};\n`);
    const child = spawn(node, [script, "--userDir", userDir, "--settings", settingsFile], {
      env: { ...globalThis.process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const nodeRed = closeLater(new NodeRed(`http://127.0.0.1:${port}`, userDir, child));
    await nodeRed.#waitUntilStarted();
    return nodeRed;
  }

  async #waitUntilStarted(): Promise<void> {
    await this.waitForLog(startedPattern, 1);
    await this.#listen();
  }

  /** Returns the number of log lines that match. */
  countInLog(words: string | RegExp): number {
    const isIn = (line: string) => (typeof words === "string" ? line.includes(words) : words.test(line));
    return this.log.filter(isIn).length;
  }

  /** Waits until the log has said something so many times. */
  async waitForLog(words: string | RegExp, times: number): Promise<void> {
    const logged = () => {
      if (this.process.exitCode !== null) throw new Error(`Node-RED ended:\n${this.log.join("\n")}`);
      return this.countInLog(words) >= times;
    };
    const what = () => `"${words}" in the log:\n${this.log.join("\n")}`;
    await eventually(logged, { withinMs, what });
  }

  async #listen(): Promise<void> {
    let problem = "";
    // The server runs before it takes sockets.
    const opened = async () => {
      const socket = new WebSocket(`${this.url.replace("http", "ws")}/comms`);
      socket.addEventListener("message", ({ data }) => this.#onComms(JSON.parse(String(data))));
      return new Promise<WebSocket | undefined>((resolve) => {
        socket.addEventListener("open", () => resolve(socket), { once: true });
        socket.addEventListener("error", ({ message }) => resolve(void (problem = message)), { once: true });
      });
    };
    const what = () => `a socket for statuses and Debug nodes: ${problem}`;
    const socket = (this.#socket = await eventually(opened, { withinMs, what }));
    for (const subscribe of ["debug", "status/#", "notification/#"])
      socket.send(JSON.stringify({ subscribe }));
  }

  #onComms(messages: CommsMessage | readonly CommsMessage[]): void {
    for (const { topic, data } of [messages].flat<(CommsMessage | readonly CommsMessage[])[]>()) {
      if (topic === "debug") {
        const entry = data as DebugEntry;
        this.#debugValues.push({ id: entry.id, value: parseDebugValue(entry) });
      }
      if (topic?.startsWith("status/")) this.#statuses.set(topic.slice("status/".length), data as NodeStatus);
      // What came before it on the same socket is of the nodes that were.
      if (topic === "notification/runtime-state" && (data as { state?: string }).state === "stop") {
        this.#statuses.clear();
        this.#stops += 1;
      }
    }
  }

  /** A request to the admin API, or to an http node of a flow. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, init);
  }

  async json<T>(path: string, headers: Record<string, string> = {}): Promise<T> {
    const response = await this.request(path, { headers: { accept: "application/json", ...headers } });
    return (await response.json()) as T;
  }

  /** Replaces all flows, or those flows or nodes that changed, and waits until they run. */
  async deploy(flows: readonly FlowNode[], type: "full" | "flows" | "nodes" = "full"): Promise<void> {
    this.#debugValues.length = 0;
    this.#deployed = JSON.stringify(flows);
    const [starts, stops] = [this.countInLog(startedPattern), this.#stops];
    const response = await this.request("/flows", {
      method: "POST",
      headers: { "content-type": "application/json", "Node-RED-Deployment-Type": type },
      body: JSON.stringify(flows.map(withCanvasPosition)),
    });
    if (!response.ok) throw new Error(`Not deployed: ${response.status} ${await response.text()}`);
    await this.waitForLog(startedPattern, starts + 1);
    const what = () => "word on the socket that the flows before have stopped";
    await eventually(() => this.#stops > stops, { withinMs, what });
  }

  /** Presses the button of an Inject node, once the flows that hold it have started; with other properties if given. */
  async inject(id: string, properties?: Readonly<Record<string, unknown>>): Promise<void> {
    const props = Object.entries(properties ?? {}).map(([p, value]) => ({
      p,
      v: JSON.stringify(value),
      vt: "json",
    }));
    const body = JSON.stringify(properties && { __user_inject_props__: props });
    const headers = { "content-type": "application/json" };
    const press = () =>
      this.request(`/inject/${id}`, { method: "POST", ...(properties && { headers, body }) });
    const pressIfPresent = async () => {
      const response = await press();
      return response.status !== 404 && response;
    };
    const response = await eventually(pressIfPresent, { withinMs, what: `the node ${id}` });
    if (!response.ok) throw new Error(`Not injected: ${response.status}`);
  }

  /** Sends properties through the node `start`, and returns the messages at `end`. Deploys the flows unless they run. */
  async run(
    flows: readonly FlowNode[],
    properties: Readonly<Record<string, unknown>> = { payload: {} },
    count = 1,
  ): Promise<[Message, ...Message[]]> {
    if (JSON.stringify(flows) !== this.#deployed) await this.deploy(flows);
    await this.inject("start", properties);
    return (await this.nextDebugValues("end", count)) as [Message, ...Message[]];
  }

  /** The next values that a Debug node shows, in order. */
  async nextDebugValues(id: string, count = 1): Promise<unknown[]> {
    const values: unknown[] = [];
    const what = () => `value ${values.length + 1} of ${count} at ${id}`;
    for (const _ of Array.from({ length: count })) {
      const index = await eventually(() => this.#debugIndex(id), { withinMs, what });
      values.push(this.#debugValues.splice(index, 1)[0]!.value);
    }
    return values;
  }

  /** Returns the number of unread values of a Debug node. */
  pendingDebugCount(id: string): number {
    return this.#debugValues.filter((entry) => entry.id === id).length;
  }

  #debugIndex(id: string): number | undefined {
    const index = this.#debugValues.findIndex((entry) => entry.id === id);
    return index >= 0 ? index : undefined;
  }

  /** Waits until the status of a node fits, and returns it. */
  async waitForStatus(id: string, matches: (status: NodeStatus) => boolean): Promise<NodeStatus> {
    const fitting = () => {
      const status = this.#statuses.get(id);
      return status && matches(status) && status;
    };
    const what = () => `a status of ${id} that fits, not ${JSON.stringify(this.#statuses.get(id))}`;
    return eventually(fitting, { withinMs, what });
  }

  /** Ends the process as a person would, with Ctrl-C. */
  async close(): Promise<void> {
    this.#socket?.close();
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = untilEvent(this.process, "exit");
    this.process.kill("SIGINT");
    await ended;
  }
}
