/**
 * Values that a request of the editor may take from the runtime: stored secrets, environment variables, context and
 * expressions. Each is used only where the deployed flows use it, because the editor chooses the addresses in the form.
 */
import type { Node, NodeAPI, NodeDef } from "node-red";
import { settingsOf } from "../../core/call/settings";
import { destinationSettingsOf, type Service } from "../../core/spec/service";
import type { ConnectionSettings } from "../connection/connection-node";
import { deployedNode } from "../connection/target";
import type { InputDef } from "../shared/input";
import { connectionType } from "../shared/node-names";
import { isTypedValue, readsRuntime, type TypedValue, unresolvedVariable } from "../shared/typed-values";

/** Values of the form of a connection by name, as text. */
export interface ConnectionForm {
  readonly id: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Placeholder of the editor for a stored secret that it does not know. */
const storedSecretMark = "__PWRD__";

/** Returns the deployed settings of a connection, with unresolved variables. Secrets are stored separately. */
function deployedSettings(RED: NodeAPI, id: string): Readonly<ConnectionSettings> {
  const node = deployedNode(RED, id);
  return node?.type === connectionType ? (node as unknown as ConnectionSettings) : {};
}

/** Throws a TypeError unless the form sends its requests where the deployed connection sends them. */
function assertDeployedDestination(
  service: Service,
  RED: NodeAPI,
  { id, values }: ConnectionForm,
  remedy: string,
): void {
  const defaults = Object.fromEntries(
    settingsOf(service).map(({ name, default: given = "" }) => [name, given]),
  );
  const valueIn = (source: Readonly<ConnectionSettings>, name: string) => source[name] || defaults[name];
  const deployed = deployedSettings(RED, id);
  const isFromEnvironment = (source: Readonly<ConnectionSettings>) => Boolean(source.fromEnvironment);
  if (isFromEnvironment(values) !== isFromEnvironment(deployed))
    throw new TypeError(
      `The source of the settings differs from the deployed one. Deploy first, or ${remedy}.`,
    );
  if (isFromEnvironment(values)) return;
  const networkSettings = settingsOf(service).filter(
    ({ section, secret }) => section === "network" && !secret,
  );
  // A proxy with its own authority would read what is sent.
  const names = [...destinationSettingsOf(service), ...networkSettings.map(({ name }) => name)];
  const changed = names.find((name) => valueIn(values, name) !== valueIn(deployed, name));
  if (changed !== undefined)
    throw new TypeError(`${changed} differs from the deployed value. Deploy first, or ${remedy}.`);
}

/**
 * Returns the values of the form with stored secrets, and with the variables of fields that consist of one, as Node-RED
 * resolves them at a deploy. Throws a TypeError that starts with the setting if the deployed connection does not use them.
 */
export function resolveForm(
  service: Service,
  RED: NodeAPI,
  form: ConnectionForm,
): Readonly<ConnectionSettings> {
  const stored = (RED.nodes.getCredentials(form.id) ?? {}) as ConnectionSettings;
  const deployed = { ...deployedSettings(RED, form.id), ...stored };
  const node = (RED.nodes.getNode(form.id) as Node | null) ?? undefined;
  const resolveVariable = (value = ""): string => {
    const variable = unresolvedVariable(value);
    const found =
      variable === undefined ? undefined : (RED.util.getSetting(node!, variable) as string | undefined);
    return found ?? value;
  };
  const resolve = (name: string, value: string): string | undefined => {
    if (value === storedSecretMark) {
      assertDeployedDestination(service, RED, form, "enter the secrets again");
      return resolveVariable(stored[name]);
    }
    if (unresolvedVariable(value) === undefined) return value;
    if (value !== deployed[name])
      throw new TypeError(`${name} is a variable that is not deployed. Deploy first, or enter its value.`);
    assertDeployedDestination(service, RED, form, "enter values instead of variables");
    return resolveVariable(value);
  };
  const names = form.values.fromEnvironment ? ["fromEnvironment", "tls"] : Object.keys(form.values);
  return Object.fromEntries(names.map((name) => [name, resolve(name, form.values[name] ?? "")]));
}

/** Input of a read that the editor tries, and the node whose form it comes from. */
export interface TriedInput {
  readonly node: unknown;
  readonly fields: unknown;
  readonly input: unknown;
}

const isSameValue = (one: TypedValue, other: TypedValue | undefined): boolean =>
  one.type === other?.type && one.value === other.value;

/**
 * Returns the input of a read to try. Throws a TypeError for a value of the runtime that the deployed node does not send
 * through the same connection to the same address.
 */
export function resolveTriedInput(
  service: Service,
  RED: NodeAPI,
  form: ConnectionForm,
  { node, fields = {}, input }: TriedInput,
): InputDef {
  const deployed = deployedNode(RED, String(node)) as
    | (NodeDef & InputDef & { connection?: string })
    | undefined;
  const given = [
    ...Object.entries(fields as object).map(
      ([name, value]) => [name, value, deployed?.fields?.[name]] as const,
    ),
    ...(input === undefined ? [] : [["input", input, deployed?.input] as const]),
  ];
  for (const [name, value, deployedValue] of given) {
    if (!isTypedValue(value)) throw new TypeError(`${name} is not a value of a form.`);
    if (!readsRuntime(value)) continue;
    if (deployed?.connection !== form.id || !isSameValue(value, deployedValue))
      throw new TypeError(
        `${name} is a variable, context value or expression that is not deployed. Deploy first, or enter a fixed value.`,
      );
    assertDeployedDestination(service, RED, form, "enter fixed values");
  }
  return { fields, input } as InputDef;
}
