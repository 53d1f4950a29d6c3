/** A connection as the editor's form holds it, before it is deployed or after. */
import type { Node, NodeAPI } from "node-red";
import type { ClientOptions } from "../../core/client/client-options";
import { settingsOf } from "../../core/client/settings";
import { destinationSettingsOf, type Service } from "../../core/declaration/service";
import { clientOptionsFor, type ConnectionSettings } from "./connection-node";

/** What the editor sends of a form: every control by its name, as a text. */
export interface ConnectionForm {
  readonly id: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The editor's word for a secret that is stored, and that it does not know. */
const storedSecretMark = "__PWRD__";

const isText = (value: unknown): value is string => typeof value === "string";

/** Undefined where something else was sent. */
export function parseForm(body: unknown): ConnectionForm | undefined {
  const { id, values } = (body ?? {}) as Partial<ConnectionForm>;
  const isForm = isText(id) && typeof values === "object" && Object.values(values ?? {}).every(isText);
  return isForm ? { id, values: { ...values } } : undefined;
}

/** The connection as the flows have it, variables as they are written. */
function deployedSettings(RED: NodeAPI, id: string): Readonly<ConnectionSettings> | undefined {
  let found: ConnectionSettings | undefined;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = node as unknown as ConnectionSettings;
  });
  return found;
}

/** A stored secret goes where it was meant to go when it was stored, and nowhere else. */
function assertSameDestination(service: Service, RED: NodeAPI, { id, values }: ConnectionForm): void {
  const settings = settingsOf(service);
  const defaults = Object.fromEntries(settings.map(({ name, default: given = "" }) => [name, given]));
  const valueIn = (source: Readonly<ConnectionSettings>, name: string) => source[name] || defaults[name];
  const previous = deployedSettings(RED, id) ?? {};
  const changed = destinationSettingsOf(service).find(
    (name) => valueIn(values, name) !== valueIn(previous, name),
  );
  if (changed === undefined) return;
  const title = settings.find(({ name }) => name === changed)?.title ?? changed;
  throw new TypeError(`${title} is not what is deployed: deploy first, or write the secrets again.`);
}

function fillStoredSecrets(
  service: Service,
  RED: NodeAPI,
  form: ConnectionForm,
): Readonly<ConnectionSettings> {
  if (!Object.values(form.values).includes(storedSecretMark)) return form.values;
  assertSameDestination(service, RED, form);
  const secrets = (RED.nodes.getCredentials(form.id) ?? {}) as ConnectionSettings;
  const filled = Object.entries(form.values).map(
    ([name, value]) => [name, value === storedSecretMark ? secrets[name] : value] as const,
  );
  return Object.fromEntries(filled);
}

const variablePattern = /^\$\{([^}]+)\}$|^\$\(([^)]+)\)$/;

/** Variables are put in where all of a field is one, as Node-RED does at a deploy. */
function substituteVariables(
  RED: NodeAPI,
  node: Node | undefined,
  values: Readonly<ConnectionSettings>,
): Readonly<ConnectionSettings> {
  const filled = Object.entries(values).map(([name, value = ""]) => {
    const variableName = variablePattern.exec(value)?.slice(1).find(Boolean);
    const variableValue =
      variableName === undefined
        ? undefined
        : (RED.util.getSetting(node!, variableName) as string | undefined);
    return [name, variableValue ?? value] as const;
  });
  return Object.fromEntries(filled);
}

/** The options of a client as a form says. Throws a TypeError that names what does not fit. */
export function optionsFromForm(service: Service, RED: NodeAPI, form: ConnectionForm): ClientOptions {
  const node = (RED.nodes.getNode(form.id) as Node | null) ?? undefined;
  const unresolved = form.values.fromEnvironment ? form.values : fillStoredSecrets(service, RED, form);
  const values = substituteVariables(RED, node, unresolved);
  return clientOptionsFor(service, RED, { node, config: values, credentials: values });
}
