/** Environment of the examples: a sandbox, Node-RED with and without a policy, and receivers. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { FxdeskClient } from "@fxdesk/toolkit";
import type { Sandbox } from "@fxdesk/sandbox";
import { exampleConnection } from "../../../nodes/shared/node-names";
import {
  type ReleaseFixture,
  createReleaseFixture,
  secretOf,
  serviceKeyOf,
} from "../../core/releases/release-fixture";
import { tempFolder } from "../../support/resources";
import { openClient } from "../../support/sandboxes";
import { launchBrowser } from "./browser";
import { writeExtension } from "./extension";
import { environmentFor } from "./flows";
import { type FlowNode, NodeRed } from "./node-red";
import { findButton, debugNodeId, isWatchNode, type Placement } from "./recipes";
import { Receivers } from "./receivers";

/** Token of the MCP server in Node-RED. */
export const mcpToken = "a token of 32 characters for flows";

export type Variables = Readonly<Record<string, string>>;

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** A sandbox, Node-RED with and without a policy, and what flows write to: files, mailboxes, other systems. */
export class ExampleEnvironment {
  /** The recipe that runs, and where. */
  #current: { readonly flow: readonly FlowNode[]; readonly on: NodeRed } | undefined;

  private constructor(
    readonly placement: Placement,
    readonly releaseFixture: ReleaseFixture,
    readonly client: FxdeskClient,
    readonly receivers: Receivers,
    readonly browser: Browser,
    readonly nodeRed: NodeRed,
    readonly guardedNodeRed: NodeRed,
    readonly folder: string,
  ) {}

  static async start(placement: Placement): Promise<ExampleEnvironment> {
    const home = await tempFolder();
    const place = await createReleaseFixture({ sandbox: { daysBehind: 365 } });
    const env = {
      ...(await writeExtension()),
      ...environmentFor(place.sandbox),
      FXDESK_MCP_TOKEN: mcpToken,
      HOME: home,
    };
    const releasing = {
      FXDESK_STORE: place.store.location,
      FXDESK_STORE_KEY: place.store.key!.toString("base64"),
      FXDESK_POLICY: place.policyPath,
      FXDESK_PEOPLE: place.peoplePath,
      FXDESK_SERVICE_KEY: serviceKeyOf("desk"),
    };
    const settings = { nodesExcludes: [] };
    const [nodeRed, guarded] = await Promise.all([
      NodeRed.start({ env, settings }),
      NodeRed.start({ env: { ...env, ...releasing }, settings }),
    ]);
    // As Node-RED names it by default, whose store it shares.
    const client = openClient(place.sandbox, { environment: "api" });
    const receivers = await Receivers.start();
    const browser = await launchBrowser();
    return new ExampleEnvironment(
      placement,
      place,
      client,
      receivers,
      browser,
      nodeRed,
      guarded,
      join(home, "fxdesk"),
    );
  }

  get sandbox(): Sandbox {
    return this.releaseFixture.sandbox;
  }

  /**
   * As a person sets it: the variables of the flow, the secrets of who releases, and watches
   * that do not let us wait.
   */
  applySettings(flow: readonly FlowNode[], variables: Variables = {}, every = "0.2"): FlowNode[] {
    return flow.map((node) => {
      if (isWatchNode(node)) return { ...node, every };
      if (node.type === "fxdesk-release")
        return { ...node, credentials: { secret: secretOf(String(node.person)) } };
      const { env } = node as { env?: readonly Variable[] };
      if (node.type !== "tab" || !env) return node;
      return { ...node, env: env.map((each) => ({ ...each, value: variables[each.name] ?? each.value })) };
    });
  }

  /** With the connection that the editor makes beside it. */
  async deploy(flow: readonly FlowNode[], variables?: Variables, on = this.nodeRed): Promise<void> {
    this.#current = { flow, on };
    await on.deploy([...this.placement.place(this.applySettings(flow, variables)), exampleConnection]);
  }

  async inject(node: FlowNode, on = this.nodeRed): Promise<void> {
    await on.inject(this.placement.buttonOf(node.id));
  }

  /** Presses a button of the flow that was deployed last. */
  async pressButton(name: string): Promise<void> {
    const { flow, on } = this.#current!;
    await this.inject(findButton(flow, name), on);
  }

  /** Returns the next output of the Debug nodes of the last deployed flow. */
  async nextDebugValue(name: string): Promise<unknown> {
    const { flow, on } = this.#current!;
    const [value] = await on.nextDebugValues(this.placement.idOf(debugNodeId(flow, name)));
    return value;
  }

  async expectSucceeded(nodes: Iterable<FlowNode>, on = this.nodeRed): Promise<void> {
    const calling = [...nodes].filter((node) => node.type.startsWith("fxdesk-") && "wires" in node);
    for (const { id, type } of calling) {
      const status = await on.waitForStatus(this.placement.idOf(id), ({ fill }) => fill !== "blue");
      const { text = "" } = status;
      const fill = text.includes("waits for")
        ? "yellow"
        : /(cancelled|not sent)$/.test(text)
          ? "grey"
          : "green";
      expect([type, text, status.fill]).toEqual([type, text, fill]);
    }
  }

  /** A page of the dashboard of the flow that was deployed last, in a browser. */
  async page(path: string, width = 1280): Promise<Page> {
    const page = await this.browser.newPage({ viewport: { width, height: 900 } });
    await page.goto(`${this.#current!.on.url}/dashboard/${path}`);
    return page;
  }

  /** Returns the content of a file that a flow wrote. */
  read(file: string): Promise<string> {
    return readFile(join(this.folder, file), "utf8");
  }
}
