/** Node-RED with the nodes of this package, in this process. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { join } from "node:path";
import RED from "node-red";
import { exampleConnection } from "../nodes/node-names";
import { host } from "./ports";

const flowFile = "flows.json";

/** An express application, called as one handler among others. */
type Handler = (...args: [...Parameters<RequestListener>, next: () => void]) => void;

/** The sandbox's login page leads here. */
export const callbackPath = "/callback";

const loggedIn =
  "You are logged in: the code is in the address of this page. A flow with an http in node at " +
  `${callbackPath} would stand here, and exchange it at POST /token of the sandbox.\n`;

/** Where no flow serves. */
function respondNotFound({ url = "" }: IncomingMessage, response: ServerResponse): void {
  if (url.split("?")[0] !== callbackPath) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(loggedIn);
}

/** The editor first, then what flows serve. */
const handleRequest: RequestListener = (request, response) => {
  const notFound = () => respondNotFound(request, response);
  const served = () => (RED.httpNode as unknown as Handler)(request, response, notFound);
  (RED.httpAdmin as unknown as Handler)(request, response, served);
};

const settingsFor = (port: number, userDir: string) => ({
  uiPort: port,
  uiHost: host,
  userDir,
  flowFile,
  httpAdminRoot: "/",
  httpNodeRoot: "/",
  logging: { console: { level: "error", metrics: false, audit: false } },
  telemetry: { enabled: false },
  editorTheme: { tours: false, projects: { enabled: false } },
});

/** What a Debug node shows in the editor's sidebar. */
export interface DebugMessage {
  readonly name: string;
  /** What `msg` holds: "array[4]", "Object", "string[12]". */
  readonly format: string;
  /** As the sidebar gets it: text, or JSON. */
  readonly msg: string;
}

export interface NodeRed {
  readonly url: string;
  /** Resolves when the flows run; not before all their nodes are there. */
  readonly flowsStarted: Promise<unknown>;
  /** What the first Debug node with a name shows. */
  readonly firstDebugMessage: Promise<DebugMessage>;
  close(): Promise<void>;
}

/** Node-RED mirrors its own log on the same channel; only nodes have names there. */
const waitForDebugMessage = (): Promise<DebugMessage> =>
  new Promise((resolve) => {
    const onComms = ({ topic, data }: { topic: string; data: Partial<DebugMessage> }) => {
      if (topic !== "debug" || !data.name) return;
      RED.events.off("comms", onComms);
      resolve(data as DebugMessage);
    };
    RED.events.on("comms", onComms);
  });

/** An example and the connection that an editor would make when it is imported. */
async function withConnection(example: string): Promise<string> {
  const flow = JSON.parse(await readFile(example, "utf8")) as object[];
  return JSON.stringify([...flow, exampleConnection], undefined, 2);
}

/**
 * Starts Node-RED on a user directory of its own. The flow it begins with is written there once; from then on the
 * person's flows stay as they leave them.
 */
export async function startNodeRed(port: number, userDir: string, firstFlow: string): Promise<NodeRed> {
  await mkdir(userDir, { recursive: true });
  const flows = join(userDir, flowFile);
  if (!existsSync(flows)) await writeFile(flows, await withConnection(firstFlow));
  const server = createServer(handleRequest);
  RED.init(server, settingsFor(port, userDir) as Parameters<typeof RED.init>[1]);
  const firstDebugMessage = waitForDebugMessage();
  const flowsStarted = once(RED.events, "flows:started");
  await once(server.listen(port, host), "listening");
  await RED.start();
  return {
    url: `http://${host}:${port}`,
    flowsStarted,
    firstDebugMessage: firstDebugMessage,
    async close() {
      await RED.stop();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
