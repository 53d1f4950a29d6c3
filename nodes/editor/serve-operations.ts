/** Serves the lists of operations and watches to the editor. */
import type { NodeAPI } from "node-red";
import { callerFieldDocs, type OperationDoc, describeOperation } from "../../core/spec/describe-operation";
import type { Callable } from "../../core/spec/operation";
import { callablesOf, type Service } from "../../core/spec/service";
import { isCrossOrigin } from "./cross-origin";

/** Returns the part of the documentation that users need to choose an operation and enter its input. */
const describeForEditor = (doc: OperationDoc) => {
  const { name, title, summary, effect } = doc;
  const fields = callerFieldDocs(doc).map(({ name: field, kind, requirement, description }) => ({
    name: field,
    kind,
    required: requirement === "required",
    description,
  }));
  return { name, title, summary, effect: effect.kind, fields };
};

/** Adds the routes, including operations of extensions. They require the permission `fxdesk.read`. */
export function serveOperations(RED: NodeAPI, service: Service): void {
  const lists = { operations: callablesOf(service), watches: service.watches ?? [] };
  for (const [path, list] of Object.entries(lists))
    RED.httpAdmin.get(`/fxdesk/${path}`, RED.auth.needsPermission("fxdesk.read"), (request, response) => {
      if (isCrossOrigin(request.headers)) response.status(403).end();
      else response.json(list.map((each: Callable) => describeForEditor(describeOperation(each))));
    });
}
