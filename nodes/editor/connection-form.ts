/** Connection settings sent from the editor's form, deployed or not, and the handling of such requests. */
import type { Node, NodeAPI } from "node-red";
import type { ClientOptions } from "../../core/call/client-options";
import { settingsOf } from "../../core/call/settings";
import { InvalidInput, describeViolations } from "../../core/spec/errors";
import { destinationSettingsOf, type Service } from "../../core/spec/service";
import { clientOptionsFor, type ConnectionSettings } from "../connection/connection-node";
import { unresolvedVariable } from "../shared/typed-values";
import { editorAccess } from "./serve-texts";

/** Values of the form controls by name, as text. */
export interface ConnectionForm {
  readonly id: string;
  readonly values: Readonly<Record<string, string>>;
}

/** Placeholder of the editor for a stored secret that it does not know. */
const storedSecretMark = "__PWRD__";

const isText = (value: unknown): value is string => typeof value === "string";

/** Parses the body of a request. Undefined if it is not a form. */
function parseForm(body: unknown): ConnectionForm | undefined {
  const { id, values } = (body ?? {}) as Partial<ConnectionForm>;
  const isForm = isText(id) && typeof values === "object" && Object.values(values ?? {}).every(isText);
  return isForm ? { id, values: { ...values } } : undefined;
}

/** Returns the deployed settings of a connection, with unresolved variables. */
function deployedSettings(RED: NodeAPI, id: string): Readonly<ConnectionSettings> | undefined {
  let found: ConnectionSettings | undefined;
  RED.nodes.eachNode((node) => {
    if (node.id === id) found = node as unknown as ConnectionSettings;
  });
  return found;
}

/** Throws if the form changes an address: a stored secret must only be sent to the deployed addresses. */
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
  throw new TypeError(`${title} differs from the deployed value. Deploy first, or enter the secrets again.`);
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

/** Resolves fields that consist of one variable, as Node-RED does at a deploy. */
function substituteVariables(
  RED: NodeAPI,
  node: Node | undefined,
  values: Readonly<ConnectionSettings>,
): Readonly<ConnectionSettings> {
  const filled = Object.entries(values).map(([name, value = ""]) => {
    const variableName = unresolvedVariable(value);
    const variableValue =
      variableName === undefined
        ? undefined
        : (RED.util.getSetting(node!, variableName) as string | undefined);
    return [name, variableValue ?? value] as const;
  });
  return Object.fromEntries(filled);
}

/** Returns client options from a form. Throws a TypeError that names an invalid setting. */
export function optionsFromForm(service: Service, RED: NodeAPI, form: ConnectionForm): ClientOptions {
  const node = (RED.nodes.getNode(form.id) as Node | null) ?? undefined;
  const unresolved = form.values.fromEnvironment ? form.values : fillStoredSecrets(service, RED, form);
  const values = substituteVariables(RED, node, unresolved);
  return clientOptionsFor(service, RED, { node, config: values, credentials: values });
}

/** Converts an error to a message, with settings named as in the form. */
function toFormMessage(service: Service, error: unknown): string {
  const titles = new Map(settingsOf(service).map(({ name, title }) => [name, title]));
  const titleOf = (name: string) => titles.get(name) ?? name;
  if (!(error instanceof InvalidInput)) return (error as Error).message.replace(/^\w+/, titleOf);
  return describeViolations(
    error.violations.map(({ field, message }) => ({ field: titleOf(field), message })),
  );
}

type RequestHandler = Parameters<NodeAPI["httpAdmin"]["post"]>[1];
type Request = Parameters<RequestHandler>[0];
type Response = Parameters<RequestHandler>[1];

/** Returns the JSON body of the response to a connection form. May set headers of the response. */
export type FormHandler = (form: ConnectionForm, request: Request, response: Response) => Promise<object>;

/** Adds a route that receives a connection form. It requires the permission `fxdesk.write` and a JSON body. */
export function serveForm(RED: NodeAPI, service: Service, path: string, handle: FormHandler): void {
  RED.httpAdmin.post(`/fxdesk/connection/${path}`, editorAccess(RED, "fxdesk.write"), (request, response) => {
    const fail = (message: string) => response.status(400).json({ message });
    const form = request.is("application/json") ? parseForm(request.body) : undefined;
    if (!form) return void fail("Expected a JSON body with the form of a connection.");
    void handle(form, request, response).then(
      (body) => response.set("cache-control", "no-store").json(body),
      (error: unknown) => fail(toFormMessage(service, error)),
    );
  });
}
