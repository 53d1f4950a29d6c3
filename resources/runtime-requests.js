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

/** Requests which column each heading of a header row is taken for. */
export const matchHeadings = (field) => post("fxdesk/headings", field);

export function tryRead(connection, body) {
  const form = readConnectionForm(connection);
  return form && post("fxdesk/connection/try", { ...form, ...body });
}

/** Time for which a response is reused. */
const cacheMs = 60_000;
const responses = new Map();

/** Fetches what forms show once for all of them. Returns undefined without a connection. */
function fetchOnce(action, connection, values) {
  const form = readConnectionForm(connection);
  if (!form) return undefined;
  const body = { ...form, ...values };
  const key = JSON.stringify([action, body]);
  const cached = responses.get(key);
  if (cached && Date.now() - cached.at < cacheMs) return cached.response;
  const response = post(`fxdesk/connection/${action}`, body);
  responses.set(key, { response, at: Date.now() });
  response.fail(() => responses.delete(key));
  return response;
}

/** Fetches a list that fields offer. The search runs in the browser. */
export const fetchList = (connection, { from, property }) =>
  fetchOnce("list", connection, { from, property });

/** Fetches an estimate of the rate of a pair for an order that buys a currency. */
export const fetchRate = (connection, pair, buy) => fetchOnce("rate", connection, { pair, buy });
