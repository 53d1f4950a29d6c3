/** What the editor asks the runtime for. */
import type { NodeAPI } from "node-red";
import { inputFields, type DescribedPage, pageOf } from "../core/declaration/described-page";
import type { Callable } from "../core/declaration/operation";
import { callablesOf, type Service } from "../core/declaration/service";
import { isForeign } from "./foreign-requests";

/** What a person needs to choose an operation and to write its input. */
const described = (page: DescribedPage) => {
  const { name, title, summary, effect } = page;
  const fields = inputFields(page).map(({ name: field, kind, need, description }) => ({
    name: field,
    kind,
    required: need === "required",
    description,
  }));
  return { name, title, summary, effect: effect.kind, fields };
};

/** Serves what a node may name, of the service and of extensions, to who may read it. */
export function serveOperations(RED: NodeAPI, service: Service): void {
  const lists = { operations: callablesOf(service), watches: service.watches ?? [] };
  for (const [path, list] of Object.entries(lists))
    RED.httpAdmin.get(`/fxdesk/${path}`, RED.auth.needsPermission("fxdesk.read"), (request, response) => {
      if (isForeign(request.headers)) response.status(403).end();
      else response.json(list.map((each: Callable) => described(pageOf(each))));
    });
}
