/** The config node: one client, shared by all nodes that name it. */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { type ClientCore, createClient } from "../../core/client/client";
import type { ClientOptions } from "../../core/client/connection";
import { environmentName, optionsFromSettings, settingsOf } from "../../core/client/settings";
import { contract } from "../../core/operations/contract";
import type { TlsOptions } from "../../core/transport/line";
import { notSet, unresolvedVariable } from "../environment";

const connectionSettings = settingsOf(contract);

type Settings = Record<string, string | undefined>;

export interface ConnectionDef extends NodeDef, Readonly<Settings> {
  id: string;
  type: string;
  name: string;
  z: string;
}

/** A connection as the nodes that use it see it. */
export interface ConnectionNode extends Node<Settings> {
  /** The client; undefined when the settings do not make one. */
  client?: ClientCore;
  /** Why there is no client. */
  problem?: string;
}

/** The secrets, which Node-RED keeps encrypted and apart from the flows. */
export const connectionCredentials = Object.fromEntries(
  connectionSettings.filter(({ secret }) => secret).map(({ name }) => [name, { type: "password" as const }]),
);

function settingsFromForm(config: ConnectionDef, credentials: Settings): Settings {
  const settings = connectionSettings.map(({ name, title, secret }) => {
    const value = (secret ? credentials : config)[name];
    const variable = unresolvedVariable(value ?? "");
    if (variable !== undefined) throw new TypeError(`${title}: ${notSet(variable)}.`);
    return [name, value];
  });
  return Object.fromEntries(settings) as Settings;
}

/** The FXDESK_… variables, those of the Node-RED flows included. */
function settingsFromVariables(RED: NodeAPI, node: Node): Settings {
  const settings = connectionSettings.map(({ name }) => [
    name,
    RED.util.getSetting(node, environmentName(name)) as string | undefined,
  ]);
  return Object.fromEntries(settings) as Settings;
}

interface TlsConfigNode extends Node {
  addTLSOptions(options: object): TlsOptions;
}

function optionsFor(RED: NodeAPI, node: ConnectionNode, config: ConnectionDef): ClientOptions {
  const settings = config.fromEnvironment
    ? settingsFromVariables(RED, node)
    : settingsFromForm(config, node.credentials ?? {});
  const options = optionsFromSettings(settings);
  const tls = config.tls && (RED.nodes.getNode(config.tls) as TlsConfigNode | null);
  return tls ? { ...options, credentials: { ...options.credentials, tls: tls.addTLSOptions({}) } } : options;
}

async function close(client: ClientCore, done: () => void): Promise<void> {
  await client.close().catch(() => undefined);
  done();
}

/** The runtime of the config node. A setting that does not fit is reported by each node that uses the connection. */
export function connectionNode(RED: NodeAPI): NodeConstructor<ConnectionNode, ConnectionDef, Settings> {
  return function Connection(this: ConnectionNode, config: ConnectionDef) {
    RED.nodes.createNode(this, config);
    try {
      const client = createClient(optionsFor(RED, this, config));
      this.client = client;
      this.on("close", (done: () => void) => void close(client, done));
    } catch (error) {
      this.problem = (error as Error).message;
    }
  };
}
