/** Runs Node-RED with the nodes of this package in this process. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { join } from "node:path";
import RED from "node-red";
import { exampleConnection } from "../nodes/shared/node-names";
import { host } from "./ports";

const flowFile = "flows.json";

/** An express application, called as one handler among others. */
type Handler = (...args: [...Parameters<RequestListener>, next: () => void]) => void;

/** Redirect path of the sandbox's login page. */
export const callbackPath = "/callback";

const loggedIn =
  "You are logged in. The authorisation code is in the address of this page. To use it, add a flow with an http in node at " +
  `${callbackPath} that exchanges the code at POST /token of the sandbox.\n`;

/** Handles requests that no flow answers. */
function respondNotFound({ url = "" }: IncomingMessage, response: ServerResponse): void {
  if (url.split("?")[0] !== callbackPath) response.writeHead(404).end();
  else response.writeHead(200, { "content-type": "text/plain; charset=utf-8" }).end(loggedIn);
}

/** Routes requests to the editor, then to flows. */
const handleRequest: RequestListener = (request, response) => {
  const notFound = () => respondNotFound(request, response);
  const served = () => (RED.httpNode as unknown as Handler)(request, response, notFound);
  (RED.httpAdmin as unknown as Handler)(request, response, served);
};

/** Scrolls the palette of the editor to the nodes of this package; the path is relative to dist/demo. */
const editorScript = join(__dirname, "../../demo/show-nodes.js");

const settingsFor = (port: number, userDir: string) => ({
  uiPort: port,
  uiHost: host,
  userDir,
  flowFile,
  httpAdminRoot: "/",
  httpNodeRoot: "/",
  logging: { console: { level: "error", metrics: false, audit: false } },
  telemetry: { enabled: false },
  editorTheme: { tours: false, projects: { enabled: false }, page: { scripts: [editorScript] } },
});

/** A message of a Debug node in the editor's sidebar. */
interface DebugMessage {
  readonly name: string;
  /** Type of `msg`: "array[4]", "Object", "string[12]". */
  readonly format: string;
  /** Text or JSON. */
  readonly msg: string;
}

export interface NodeRed {
  readonly url: string;
  /** Resolves when the flows run and all their nodes are loaded. */
  readonly flowsStarted: Promise<unknown>;
  /** First message of a named Debug node. */
  readonly firstDebugMessage: Promise<DebugMessage>;
  close(): Promise<void>;
}

/** Waits for a named Debug node. Node-RED's own log uses the same channel, without names. */
const waitForDebugMessage = (): Promise<DebugMessage> =>
  new Promise((resolve) => {
    const onComms = ({ topic, data }: { topic: string; data: Partial<DebugMessage> }) => {
      if (topic !== "debug" || !data.name) return;
      RED.events.off("comms", onComms);
      resolve(data as DebugMessage);
    };
    RED.events.on("comms", onComms);
  });

/** Reads examples and adds the connection that the editor creates on import. */
async function withConnection(examples: readonly string[]): Promise<string> {
  const flows = await Promise.all(
    examples.map(async (example) => JSON.parse(await readFile(example, "utf8")) as object[]),
  );
  return JSON.stringify([...flows.flat(), exampleConnection], undefined, 2);
}

/** Starts Node-RED in `userDir`. Writes the initial flows only if there are none, so that edited flows stay. */
export async function startNodeRed(
  port: number,
  userDir: string,
  firstFlows: readonly string[],
): Promise<NodeRed> {
  await mkdir(userDir, { recursive: true });
  const flows = join(userDir, flowFile);
  if (!existsSync(flows)) await writeFile(flows, await withConnection(firstFlows));
  const server = createServer(handleRequest);
  RED.init(server, settingsFor(port, userDir) as unknown as Parameters<typeof RED.init>[1]);
  const firstDebugMessage = waitForDebugMessage();
  const flowsStarted = once(RED.events, "flows:started");
  await once(server.listen(port, host), "listening");
  await RED.start();
  return {
    url: `http://${host}:${port}`,
    flowsStarted,
    firstDebugMessage,
    async close() {
      await RED.stop();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
