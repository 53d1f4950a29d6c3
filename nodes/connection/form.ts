/** A connection as the editor's form holds it, before it is deployed or after. */
import type { Node, NodeAPI } from "node-red";
import type { ClientOptions } from "../../core/client/options";
import { settingsOf } from "../../core/client/settings";
import { placeSettingsOf, type Service } from "../../core/declaration/service";
import { optionsFor, type Settings } from "./connection";

/** What the editor sends of a form: every control by its name, as a text. */
export interface ConnectionForm {
  readonly id: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The editor's word for a secret that is stored, and that it does not know. */
const stored = "__PWRD__";

const isText = (value: unknown): value is string => typeof value === "string";

/** Undefined where something else was sent. */
export function formFrom(body: unknown): ConnectionForm | undefined {
  const { id, values } = (body ?? {}) as Partial<ConnectionForm>;
  const isForm = isText(id) && typeof values === "object" && Object.values(values ?? {}).every(isText);
  return isForm ? { id, values: { ...values } } : undefined;
}

/** The connection as the flows have it, variables as they are written. */
function deployed(RED: NodeAPI, id: string): Readonly<Settings> | undefined {
  let found: Settings | undefined;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = node as unknown as Settings;
  });
  return found;
}

/** A stored secret goes where it was meant to go when it was stored, and nowhere else. */
function assertUnmoved(service: Service, RED: NodeAPI, { id, values }: ConnectionForm): void {
  const settings = settingsOf(service);
  const usual = Object.fromEntries(settings.map(({ name, default: given = "" }) => [name, given]));
  const valueIn = (held: Readonly<Settings>, name: string) => held[name] || usual[name];
  const before = deployed(RED, id) ?? {};
  const moved = placeSettingsOf(service).find((name) => valueIn(values, name) !== valueIn(before, name));
  if (moved === undefined) return;
  const title = settings.find(({ name }) => name === moved)?.title ?? moved;
  throw new TypeError(`${title} is not what is deployed: deploy first, or write the secrets again.`);
}

function withStored(service: Service, RED: NodeAPI, form: ConnectionForm): Readonly<Settings> {
  if (!Object.values(form.values).includes(stored)) return form.values;
  assertUnmoved(service, RED, form);
  const secrets = (RED.nodes.getCredentials(form.id) ?? {}) as Settings;
  const filled = Object.entries(form.values).map(
    ([name, value]) => [name, value === stored ? secrets[name] : value] as const,
  );
  return Object.fromEntries(filled);
}

const variable = /^\$\{([^}]+)\}$|^\$\(([^)]+)\)$/;

/** Variables are put in where all of a field is one, as Node-RED does at a deploy. */
function substituted(RED: NodeAPI, node: Node | undefined, values: Readonly<Settings>): Readonly<Settings> {
  const filled = Object.entries(values).map(([name, value = ""]) => {
    const named = variable.exec(value)?.slice(1).find(Boolean);
    const set = named === undefined ? undefined : (RED.util.getSetting(node!, named) as string | undefined);
    return [name, set ?? value] as const;
  });
  return Object.fromEntries(filled);
}

/** The options of a client as a form says. Throws a TypeError that names what does not fit. */
export function optionsFromForm(service: Service, RED: NodeAPI, form: ConnectionForm): ClientOptions {
  const node = (RED.nodes.getNode(form.id) as Node | null) ?? undefined;
  const given = form.values.fromEnvironment ? form.values : withStored(service, RED, form);
  const values = substituted(RED, node, given);
  return optionsFor(service, RED, { node, config: values, credentials: values });
}
