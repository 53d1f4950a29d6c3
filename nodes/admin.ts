/** What the editor asks the runtime for. */
import type { NodeAPI } from "node-red";
import type { Declaration } from "../core/declaration/operation";
import type { Service } from "../core/declaration/service";
import { callerFields } from "../core/declaration/fields";

/** What a person needs to choose an operation and to write its input. */
const described = (operation: Declaration) => {
  const { name, title, summary, effect } = operation;
  const fields = callerFields(operation).map(({ name: field, kind, required, description }) => ({
    name: field,
    kind,
    required,
    description,
  }));
  return { name, title, summary, effect, fields };
};

/** Whether a page of another site asks: Node-RED lets every site read what its admin API returns. */
function isForeign(origin: string | undefined, host: string | undefined): boolean {
  if (origin === undefined) return false;
  return !URL.canParse(origin) || new URL(origin).host !== host;
}

/** Serves the operations of the service, those of extensions included, to who may read them. */
export function serveOperations(RED: NodeAPI, { operations }: Service): void {
  RED.httpAdmin.get("/fxdesk/operations", RED.auth.needsPermission("fxdesk.read"), (request, response) => {
    const { origin, host } = request.headers;
    if (isForeign(origin, host)) response.status(403).end();
    else response.json(operations.map(described));
  });
}
