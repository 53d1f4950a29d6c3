/** The packed packages, installed into an empty user directory, in the oldest and the newest Node-RED we support. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fxdeskService } from "@fxdesk/toolkit";
import { declarationsOf, operations } from "@fxdesk/toolkit/operations";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { openSandbox } from "../support/sandboxes";
import manifest from "../../package.json";
import { callType, connectionType, exampleConnection, nodeTypeOf } from "../../nodes/shared/node-names";
import { type FlowNode, NodeRed, root } from "./support/node-red";
import { installedUserDir, supportedVersions } from "./support/packages";

let sandbox: Sandbox;
let userDir: string;

beforeAll(async () => {
  sandbox = await openSandbox();
  userDir = await installedUserDir();
}, 120_000);

/** Warnings of Node-RED in every new user directory. */
const expectedLog = /Projects disabled|Encrypted credentials not found/;

interface NodeSet {
  readonly module: string;
  readonly version: string;
  readonly types: readonly string[];
  readonly enabled: boolean;
  readonly err?: string;
}

describe.each(supportedVersions)("Node-RED %s", (version, runtime) => {
  let nodeRed: NodeRed;

  beforeAll(async () => {
    nodeRed = await NodeRed.start({
      ...(await runtime()),
      userDir,
      env: {
        FXDESK_BASE_URL: sandbox.baseUrl,
        FXDESK_CLIENT_ID: demo.clientId,
        FXDESK_ACCESS_TOKEN: demo.accessToken,
      },
    });
  }, 240_000);

  test("loads every node without a warning", async () => {
    const sets = await nodeRed.json<NodeSet[]>("/nodes");
    const own = sets.filter(({ module }) => module === manifest.name);

    expect(nodeRed.log.join("\n")).toContain(`Node-RED version: v${version}`);
    expect(own.length).toBeGreaterThan(0);
    for (const set of own) {
      expect(set).toMatchObject({ version: manifest.version, enabled: true });
      expect(set).not.toHaveProperty("err");
    }
    const declared = declarationsOf(fxdeskService).map(nodeTypeOf);
    const types = new Set(own.flatMap((set) => set.types));
    expect([connectionType, callType, ...declared].filter((type) => !types.has(type))).toEqual([]);
    expect(nodeRed.log.filter((line) => /\[(warn|error)\]/.test(line) && !expectedLog.test(line))).toEqual(
      [],
    );
  });

  test("serves forms, words, help, icons and examples", async () => {
    const editor = await (await nodeRed.request("/nodes", { headers: { accept: "text/html" } })).text();
    const icons = await nodeRed.json<Record<string, string[]>>("/icons");
    const examples = await nodeRed.json<object>(`/library/examples/flows/${manifest.name}/1%20Cash`);

    for (const type of [callType, ...operations.map(nodeTypeOf)]) {
      expect(editor).toContain(`registerType("${type}"`);
      expect(editor).toContain(`data-help-name="${type}"`);
      const help = await nodeRed.request(`/fxdesk/help/${type}?lang=de`);
      expect([type, help.status, await help.text()]).toEqual([
        type,
        200,
        expect.stringContaining("Ausgaben"),
      ]);
    }
    expect((await nodeRed.request(`/resources/${manifest.name}/form.js`)).status).toBe(200);
    expect(icons[manifest.name]).toContain("trades.svg");
    expect(JSON.stringify(examples)).toContain("Cash position");
    const words = await nodeRed.json<Record<string, any>>(`/locales/${manifest.name}/fxdesk?lng=en-US`);
    expect(words.labels["call-operation"]).toBe("Call operation");
  });

  test("runs an example", async () => {
    const file = join(root, "examples/1 Cash/02 Cash position over HTTP.json");
    const flow = JSON.parse(readFileSync(file, "utf8")) as FlowNode[];
    await nodeRed.deploy([...flow, exampleConnection]);

    const page = await nodeRed.request("/cash-position");

    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<td>GBP</td>");
  });
});
