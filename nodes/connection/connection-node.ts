/** The connection config node: one client shared by all nodes that refer to it. */
import type { Node, NodeAPI, NodeConstructor, NodeDef } from "node-red";
import { createClient } from "../../core/client/client";
import { serviceFrom } from "../../core/client/extensions";
import { fxdeskService } from "../../core/client/fxdesk-service";
import type { ClientOptions } from "../../core/call/client-options";
import { environmentName, optionsFromSettings, settingsOf } from "../../core/call/settings";
import type { Service } from "../../core/spec/service";
import { defaultMaxQueueLength } from "../../core/http/pacing";
import type { TlsOptions } from "../../core/http/tls";
import { variableNotSetMessage, unresolvedVariable } from "../shared/typed-values";
import type { ClientCore } from "../../core/api/client-types";
import type { Monitored } from "../../core/monitoring/monitor";
import { parseStoreSettings } from "../../core/store/settings";

export type ConnectionSettings = Record<string, string | undefined>;

export interface ConnectionDef extends NodeDef, Readonly<ConnectionSettings> {
  id: string;
  type: string;
  name: string;
  z: string;
}

/** Capacity of one node. */
export interface Capacity {
  /** Maximum number of concurrent calls. */
  readonly maxInFlight: number;
  /** Maximum number of messages that wait in the node. */
  readonly maxQueued: number;
}

/** Default capacity. The connection can set another queue length. */
export const defaultCapacity: Capacity = { maxInFlight: 10, maxQueued: defaultMaxQueueLength };

/** The connection as seen by the nodes that use it. */
export interface ConnectionNode extends Node<ConnectionSettings> {
  /** Undefined if the settings are invalid. */
  capacity?: Capacity;
  /** Undefined if the settings are invalid. */
  client?: ClientCore;
  /** What to monitor; undefined if the settings are invalid. */
  monitored?: Monitored;
  /** Error message if the settings are invalid. */
  reason?: string;
}

/** Credential properties, which Node-RED stores encrypted and outside the flows. */
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
    // An empty field of the form is not set.
    return [name, value === "" ? undefined : value];
  });
  return Object.fromEntries(settings) as ConnectionSettings;
}

/** Reads the FXDESK_… variables, including those set in Node-RED flows. */
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

export interface UserService {
  /** Includes the extensions if they could be loaded. */
  readonly service: Service;
  /** Reason why the extensions could not be loaded. Connections then refuse all calls, because flows may need them. */
  readonly loadError?: string;
}

export function loadUserService(environment: Readonly<Record<string, string | undefined>>): UserService {
  try {
    return { service: serviceFrom(environment) };
  } catch (error) {
    return { service: fxdeskService, loadError: (error as Error).message };
  }
}

/** Inputs of the client options of a connection. */
export interface ConnectionParts {
  readonly node: Node | undefined;
  /** Settings that are not secret, the client certificate, and whether all settings come from the environment instead. */
  readonly config: Readonly<ConnectionSettings>;
  readonly credentials: Readonly<ConnectionSettings>;
}

/** Returns the client options. Without a node, variables are those of the process. */
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
 * Constructor of the config node. An invalid setting is logged at the deploy and reported by each node that uses the
 * connection. Closing does not wait for calls in progress; they use the client until they finish.
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
      const { policy, people } = options;
      this.monitored = { store: parseStoreSettings(options), policy, people, service };
      this.on("close", () => void client.close());
    } catch (error) {
      this.reason = (error as Error).message;
      this.error(this.reason);
    }
  };
}
