/** Environment of a connection, and the confirmation before nodes that commit money are first deployed with it. */

/** Returns the value of a setting, or its default. */
const valueOf = (connection, name) => connection[name] || connection._def.fxdesk.defaults[name] || "";

export const namesIn = (template) => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/** Fills the address template, for example `https://sandbox.example.com/`. Undefined if a setting is missing. */
const templateAddress = (connection, template) =>
  namesIn(template).every((name) => valueOf(connection, name))
    ? template.replace(/\{(\w+)\}/g, (_, name) => valueOf(connection, name))
    : undefined;

/** Returns the full addresses among the named settings. */
const givenAddresses = (connection, names) => names.map((name) => connection[name]).filter(Boolean);

/** Returns all addresses that receive calls. */
export function addressesOf(connection) {
  const { replacedBy, otherServers, address: template } = connection._def.fxdesk.production;
  const [address = templateAddress(connection, template)] = givenAddresses(connection, replacedBy);
  return [address, ...givenAddresses(connection, otherServers)].filter(Boolean);
}

const isLoopback = (host) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** True for loopback addresses and for host names that contain the name of a test environment. */
function isSandbox(address, names) {
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return isLoopback(hostname) || hostname.split(/[.-]/).some((part) => names.includes(part));
}

/** Returns "production" or "none", or "unknown" if the environment cannot be determined. */
export function riskOf(connection) {
  const { production } = connection._def.fxdesk;
  if (!production) return "none";
  const { setting, value, others, replacedBy, otherServers } = production;
  const environment = valueOf(connection, setting);
  if (environment === value && givenAddresses(connection, replacedBy).length === 0) return "production";
  const own = givenAddresses(connection, [...replacedBy, ...otherServers]);
  const isSandboxOnly = others.includes(environment) && own.every((address) => isSandbox(address, others));
  return isSandboxOnly ? "none" : "unknown";
}

/** True for enabled nodes with the effect money, and for nodes that call an operation by name. */
function mayCommitMoney({ d: isDisabled, _def: { fxdesk, defaults } }) {
  const callsAnyOperation = defaults.operation !== undefined && !fxdesk?.trigger;
  return !isDisabled && fxdesk !== undefined && (fxdesk.effect === "money" || callsAnyOperation);
}

/** Returns the addresses that a confirmation covers. Changing an address requires a new confirmation. */
const confirmationOf = (connection) => addressesOf(connection).join(" ");

/** Connections configured by environment variables are never confirmed: the administrator of Node-RED sets them. */
const isUnconfirmed = (connection) =>
  !connection.fromEnvironment &&
  riskOf(connection) !== "none" &&
  connection.moneyConfirmed !== confirmationOf(connection);

/** Returns the unconfirmed connections to real money, each with the nodes with the effect money that use it. */
function unconfirmedConnections() {
  const found = new Map();
  RED.nodes.eachNode((node) => {
    if (!node.connection || !mayCommitMoney(node)) return;
    const connection = RED.nodes.node(node.connection);
    if (connection && isUnconfirmed(connection))
      found.set(connection, [...(found.get(connection) ?? []), node]);
  });
  return [...found];
}

const labelOf = (node) => RED.utils.getNodeLabel(node, node.id);

/** Returns the paragraph about a connection: its risk, its name and addresses, and the nodes that use it. */
const describeConnection = ([connection, users]) =>
  $("<p>").text(
    connection._def._(`connection.moneyNodes.${riskOf(connection)}`, {
      name: labelOf(connection),
      address: addressesOf(connection).join(", ") || connection._def._("connection.notice.noAddress"),
      nodes: users.map(labelOf).join(", "),
    }),
  );

let openDialog;

/** Asks for confirmation and stores it in the connections. */
function askConfirmation(connections, proceed) {
  openDialog?.close();
  const [[{ _def }]] = connections;
  const close = (isYes) => {
    openDialog.close();
    openDialog = undefined;
    if (!isYes) return;
    for (const [connection] of connections)
      Object.assign(connection, { moneyConfirmed: confirmationOf(connection), changed: true });
    proceed();
  };
  const text = [...connections.map(describeConnection), $("<p>").text(_def._("connection.deployQuestion"))];
  openDialog = RED.notify($("<div>").append(text), {
    type: "warning",
    modal: true,
    fixed: true,
    buttons: [
      { text: RED._("common.label.cancel"), click: () => close(false) },
      { text: _def._("connection.productionYes"), class: "primary", click: () => close(true) },
    ],
  });
}

/** Intercepts every deploy, by button and by keyboard. */
export function guardDeploys() {
  const action = "core:deploy-flows";
  const deploy = RED.actions.get(action);
  const guardedDeploy = (...options) => {
    const connections = unconfirmedConnections();
    if (connections.length === 0) deploy(...options);
    else askConfirmation(connections, () => deploy(...options));
  };
  RED.actions.remove(action);
  RED.actions.add(action, guardedDeploy);
  // The capture phase runs before the editor's own listener on the button.
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest?.("#red-ui-header-button-deploy");
      if (!button || button.classList.contains("disabled") || unconfirmedConnections().length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      guardedDeploy();
    },
    true,
  );
}
