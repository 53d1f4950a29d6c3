/** What the form of a node asks the runtime to read through its connection, deployed or not. */

/** The editor's word for a secret that is stored, and that it does not know. */
const stored = "__PWRD__";

/** The connection as the editor holds it; undefined where there is none. */
function formOf(id) {
  const node = RED.nodes.node(id);
  if (!node) return undefined;
  const secret = (name) => node.credentials?.[name] ?? (node.credentials ? "" : stored);
  const valueOf = (name) => (node._def.credentials[name] ? secret(name) : node[name]) ?? "";
  const names = [...node._def.fxdesk.settings, "tls"];
  const values = Object.fromEntries(names.map((name) => [name, String(valueOf(name))]));
  if (node.fromEnvironment) values.fromEnvironment = "true";
  return { id, values };
}

/** The editor's own requests carry its token. */
const post = (url, body) =>
  $.ajax({ url, method: "POST", contentType: "application/json", data: JSON.stringify(body) });

/** Why the runtime did not do it. */
export const messageOf = ({ responseJSON, statusText }) => responseJSON?.message ?? statusText;

/** What is wrong with fixed values. */
export const check = (operation, fields) => post("fxdesk/check", { operation, fields });

export function tryRead(connection, body) {
  const form = formOf(connection);
  return form && post("fxdesk/connection/try", { ...form, ...body });
}

/** How long a list that was read is as good as a new one. */
const freshMs = 60_000;
const lists = new Map();

/** A list is read once for all fields and forms that are filled from it, and searched here. */
export function listFor(connection, { from, property }) {
  const form = formOf(connection);
  if (!form) return undefined;
  const body = { ...form, from, property };
  const key = JSON.stringify(body);
  const known = lists.get(key);
  if (known && Date.now() - known.at < freshMs) return known.list;
  const list = post("fxdesk/connection/list", body);
  lists.set(key, { list, at: Date.now() });
  list.fail(() => lists.delete(key));
  return list;
}
