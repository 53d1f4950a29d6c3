/** Connection settings sent from the editor's form, deployed or not, and the handling of such requests. */
import type { Node, NodeAPI } from "node-red";
import type { ClientOptions } from "../../core/call/client-options";
import { settingsOf } from "../../core/call/settings";
import { InvalidInput, describeViolations, type Violation } from "../../core/spec/errors";
import type { Service } from "../../core/spec/service";
import { clientOptionsFor } from "../connection/connection-node";
import { type ConnectionForm, resolveForm } from "./deployed-values";
import { editorAccess } from "./serve-texts";

const isText = (value: unknown): value is string => typeof value === "string";

/** Parses the body of a request. Undefined if it is not a form. */
function parseForm(body: unknown): ConnectionForm | undefined {
  const { id, values } = (body ?? {}) as Partial<ConnectionForm>;
  const isForm = isText(id) && typeof values === "object" && Object.values(values ?? {}).every(isText);
  return isForm ? { id, values: { ...values } } : undefined;
}

/** Returns client options from a form. Throws a TypeError that names an invalid setting. */
export function optionsFromForm(service: Service, RED: NodeAPI, form: ConnectionForm): ClientOptions {
  const node = (RED.nodes.getNode(form.id) as Node | null) ?? undefined;
  const values = resolveForm(service, RED, form);
  return clientOptionsFor(service, RED, { node, config: values, credentials: values });
}

interface FormError {
  readonly message: string;
  readonly violations?: readonly Violation[];
}

/** Converts an error for the form, with settings named as in the form. It names the other fields in its language. */
function toFormError(service: Service, error: unknown): FormError {
  const titles = new Map(settingsOf(service).map(({ name, title }) => [name, title]));
  const titleOf = (name: string) => titles.get(name) ?? name;
  if (!(error instanceof InvalidInput)) return { message: (error as Error).message.replace(/^\w+/, titleOf) };
  const violations = error.violations.map((each) => ({ ...each, field: titleOf(each.field) }));
  return { message: describeViolations(violations), violations };
}

type RequestHandler = Parameters<NodeAPI["httpAdmin"]["post"]>[1];
type Request = Parameters<RequestHandler>[0];
type Response = Parameters<RequestHandler>[1];

/** Returns the JSON body of the response to a connection form. May set headers of the response. */
export type FormHandler = (form: ConnectionForm, request: Request, response: Response) => Promise<object>;

/** Adds a route that receives a connection form. It requires the permission `fxdesk.write` and a JSON body. */
export function serveForm(RED: NodeAPI, service: Service, path: string, handle: FormHandler): void {
  RED.httpAdmin.post(`/fxdesk/connection/${path}`, editorAccess(RED, "fxdesk.write"), (request, response) => {
    const fail = (error: FormError) => response.status(400).json(error);
    const form = request.is("application/json") ? parseForm(request.body) : undefined;
    if (!form) return void fail({ message: "Expected a JSON body with the form of a connection." });
    void handle(form, request, response).then(
      (body) => response.set("cache-control", "no-store").json(body),
      (error: unknown) => fail(toFormError(service, error)),
    );
  });
}
