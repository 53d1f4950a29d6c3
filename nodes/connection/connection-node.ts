/** The config node: one client, shared by all nodes that name it. */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { createClient } from "../../core/client/client";
import type { ClientOptions } from "../../core/client/client-options";
import { environmentName, optionsFromSettings, settingsOf } from "../../core/client/settings";
import type { Service } from "../../core/declaration/service";
import { defaultMaxQueueLength } from "../../core/transport/pacing";
import type { TlsOptions } from "../../core/transport/tls";
import { variableNotSetMessage, unresolvedVariable } from "../environment";
import type { UserService } from "../user-service";
import type { ClientCore } from "../../core/client/client-types";

export type ConnectionSettings = Record<string, string | undefined>;

export interface ConnectionDef extends NodeDef, Readonly<ConnectionSettings> {
  id: string;
  type: string;
  name: string;
  z: string;
}

/** How many calls of one node a connection takes. */
export interface Capacity {
  /** Under way at once. */
  readonly maxInFlight: number;
  /** Messages that wait in the node at most. */
  readonly maxQueued: number;
}

/** Unless the connection has another queue. */
export const defaultCapacity: Capacity = { maxInFlight: 10, maxQueued: defaultMaxQueueLength };

/** A connection as the nodes that use it see it. */
export interface ConnectionNode extends Node<ConnectionSettings> {
  /** Undefined when the settings do not make a client. */
  capacity?: Capacity;
  /** The client; undefined when the settings do not make one. */
  client?: ClientCore;
  /** Why there is no client. */
  reason?: string;
}

/** The secrets, which Node-RED keeps encrypted and apart from the flows. */
export const connectionCredentials = (service: Service) =>
  Object.fromEntries(
    settingsOf(service)
      .filter(({ secret }) => secret)
      .map(({ name }) => [name, { type: "password" as const }]),
  );

function settingsFromForm(
  service: Service,
  config: Readonly<ConnectionSettings>,
  credentials: Readonly<ConnectionSettings>,
): ConnectionSettings {
  const settings = settingsOf(service).map(({ name, title, secret }) => {
    const value = (secret ? credentials : config)[name];
    const variable = unresolvedVariable(value ?? "");
    if (variable !== undefined) throw new TypeError(`${title}: ${variableNotSetMessage(variable)}.`);
    return [name, value];
  });
  return Object.fromEntries(settings) as ConnectionSettings;
}

/** The FXDESK_… variables, those of the Node-RED flows included. */
function settingsFromVariables(service: Service, RED: NodeAPI, node: Node | undefined): ConnectionSettings {
  const settings = settingsOf(service).map(({ name }) => [
    name,
    RED.util.getSetting(node!, environmentName(name)) as string | undefined,
  ]);
  return Object.fromEntries(settings) as ConnectionSettings;
}

interface TlsConfigNode extends Node {
  addTLSOptions(options: object): TlsOptions;
}

/** What makes the options of a connection. */
export interface ConnectionParts {
  readonly node: Node | undefined;
  /** Its settings that are no secrets; its client certificate, and whether all is read from the environment instead. */
  readonly config: Readonly<ConnectionSettings>;
  readonly credentials: Readonly<ConnectionSettings>;
}

/** The options of a client. Without a node, variables are those of the process. */
export function clientOptionsFor(
  service: Service,
  RED: NodeAPI,
  { node, config, credentials }: ConnectionParts,
): ClientOptions {
  const settings = config.fromEnvironment
    ? settingsFromVariables(service, RED, node)
    : settingsFromForm(service, config, credentials);
  const options = optionsFromSettings(settings);
  const tls = config.tls && (RED.nodes.getNode(config.tls) as TlsConfigNode | null);
  return tls ? { ...options, credentials: { ...options.credentials, tls: tls.addTLSOptions({}) } } : options;
}

/**
 * The runtime of the config node. A setting that does not fit is logged at the deploy, and reported by each node that uses
 * the connection. Its end does not wait for the calls under way, which keep the client until theirs.
 */
export function connectionNode(
  RED: NodeAPI,
  { service, loadError }: UserService,
): NodeConstructor<ConnectionNode, ConnectionDef, ConnectionSettings> {
  return function Connection(this: ConnectionNode, config: ConnectionDef) {
    RED.nodes.createNode(this, config);
    try {
      if (loadError !== undefined) throw new TypeError(loadError);
      const onRecovered = (line: string) => this.log(line);
      const parts = { node: this, config, credentials: this.credentials ?? {} };
      const options = clientOptionsFor(service, RED, parts);
      const { maxInFlight, maxQueued } = defaultCapacity;
      this.capacity = { maxInFlight, maxQueued: options.queueLimit ?? maxQueued };
      const client = createClient({ ...options, connections: maxInFlight, onRecovered }, service);
      this.client = client;
      this.on("close", () => void client.close());
    } catch (error) {
      this.reason = (error as Error).message;
      this.error(this.reason);
    }
  };
}
