/** Requests of a node form to the runtime. They use the connection as it is in the editor, deployed or not. */

/** Placeholder of the editor for a stored secret that it does not know. */
const storedSecretMark = "__PWRD__";

/** Returns the connection as it is in the editor, or undefined if there is none. */
function readConnectionForm(id) {
  const node = RED.nodes.node(id);
  if (!node) return undefined;
  const secret = (name) => node.credentials?.[name] ?? (node.credentials ? "" : storedSecretMark);
  const valueOf = (name) => (node._def.credentials[name] ? secret(name) : node[name]) ?? "";
  const names = [...node._def.fxdesk.settings, "tls"];
  const values = Object.fromEntries(names.map((name) => [name, String(valueOf(name))]));
  if (node.fromEnvironment) values.fromEnvironment = "true";
  return { id, values };
}

/** Uses jQuery because the editor adds its access token to jQuery requests. */
const post = (url, body) =>
  $.ajax({ url, method: "POST", contentType: "application/json", data: JSON.stringify(body) });

/** Returns the error message of a failed request. */
export const errorMessageOf = ({ responseJSON, statusText }) => responseJSON?.message ?? statusText;

/** Requests the violations of a form: operation, fields, and whether empty fields are filled from the payload. */
export const checkFields = (form) => post("fxdesk/check", form);

export function tryRead(connection, body) {
  const form = readConnectionForm(connection);
  return form && post("fxdesk/connection/try", { ...form, ...body });
}

/** Time for which a fetched list is reused. */
const listCacheMs = 60_000;
const lists = new Map();

/** Fetches a list once for all fields and forms that offer it. The search runs in the browser. */
export function fetchList(connection, { from, property }) {
  const form = readConnectionForm(connection);
  if (!form) return undefined;
  const body = { ...form, from, property };
  const key = JSON.stringify(body);
  const cached = lists.get(key);
  if (cached && Date.now() - cached.at < listCacheMs) return cached.list;
  const list = post("fxdesk/connection/list", body);
  lists.set(key, { list, at: Date.now() });
  list.fail(() => lists.delete(key));
  return list;
}
