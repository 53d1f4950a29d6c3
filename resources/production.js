/** Where a connection leads, and the question before the first node that commits money is deployed with it, asked once. */

/** What a setting holds, or what counts where nothing is set. */
const valueOf = (connection, name) => connection[name] || connection._def.fxdesk.usual[name] || "";

export const namesIn = (template) => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/** The address that settings make, such as `https://sandbox.example.com/`; undefined where one is missing. */
const madeOf = (connection, template) =>
  namesIn(template).every((name) => valueOf(connection, name))
    ? template.replace(/\{(\w+)\}/g, (_, name) => valueOf(connection, name))
    : undefined;

/** The full addresses among its settings; those that take the place of the made one come first. */
const ownOf = (connection, names) => names.map((name) => connection[name]).filter(Boolean);

/** All addresses that calls go to. */
export function addressesOf(connection) {
  const { replacedBy, beside, address: template } = connection._def.fxdesk.production;
  const [address = madeOf(connection, template)] = ownOf(connection, replacedBy);
  return [address, ...ownOf(connection, beside)].filter(Boolean);
}

const isLoopback = (host) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host);

/** Nobody's money is on this machine, and who runs a sandbox elsewhere says so in its name. */
function isSandbox(address, names) {
  if (!URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return isLoopback(hostname) || hostname.split(/[.-]/).some((part) => names.includes(part));
}

/** What a mistake would cost; unknown where nothing says that money is not real. */
export function riskOf(connection) {
  const { production } = connection._def.fxdesk;
  if (!production) return "none";
  const { setting, value, others, replacedBy, beside } = production;
  const environment = valueOf(connection, setting);
  if (environment === value && ownOf(connection, replacedBy).length === 0) return "production";
  const own = ownOf(connection, [...replacedBy, ...beside]);
  const isPlayed = others.includes(environment) && own.every((address) => isSandbox(address, others));
  return isPlayed ? "none" : "unknown";
}

/** A node that calls what it is told to may commit money, too. */
function mayCommitMoney({ d: isDisabled, _def: { fxdesk, defaults } }) {
  const callsAny = defaults.operation !== undefined && !fxdesk?.trigger;
  return !isDisabled && fxdesk !== undefined && (fxdesk.effect === "money" || callsAny);
}

/** What a yes is given for: who leads the connection elsewhere is asked again. */
const placeOf = (connection) => addressesOf(connection).join(" ");

/** What the environment says is for who runs Node-RED to know. */
const isUnconfirmed = (connection) =>
  !connection.fromEnvironment &&
  riskOf(connection) !== "none" &&
  connection.moneyConfirmed !== placeOf(connection);

/** The connections that may lead to real money and that nobody was asked about, of nodes that commit money. */
function unconfirmed() {
  const found = new Set();
  RED.nodes.eachNode((node) => {
    if (!node.connection || !mayCommitMoney(node)) return;
    const connection = RED.nodes.node(node.connection);
    if (connection && isUnconfirmed(connection)) found.add(connection);
  });
  return [...found];
}

let asked;

/** Asks whether money may be committed through connections; a yes is kept with them. */
function ask(connections, proceed) {
  asked?.close();
  const [{ _def }] = connections;
  const close = (isYes) => {
    asked.close();
    asked = undefined;
    if (!isYes) return;
    for (const connection of connections)
      Object.assign(connection, { moneyConfirmed: placeOf(connection), changed: true });
    proceed();
  };
  const names = connections.map((each) => RED.utils.getNodeLabel(each, each.id)).join(", ");
  asked = RED.notify($("<p>").text(_def._("connection.production", { names })), {
    type: "warning",
    modal: true,
    fixed: true,
    buttons: [
      { text: RED._("common.label.cancel"), click: () => close(false) },
      { text: _def._("connection.productionYes"), class: "primary", click: () => close(true) },
    ],
  });
}

/** Stands before every deploy, by the button and by the keyboard. */
export function guardDeploys() {
  const action = "core:deploy-flows";
  const deploy = RED.actions.get(action);
  const guarded = (...options) => {
    const connections = unconfirmed();
    if (connections.length === 0) deploy(...options);
    else ask(connections, () => deploy(...options));
  };
  RED.actions.remove(action);
  RED.actions.add(action, guarded);
  // The editor's own listener on the button comes after one that hears the click on its way down.
  document.addEventListener(
    "click",
    (event) => {
      const button = event.target.closest?.("#red-ui-header-button-deploy");
      if (!button || button.classList.contains("disabled") || unconfirmed().length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      guarded();
    },
    true,
  );
}
