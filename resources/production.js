/** Before the first node that commits money is deployed with a connection to production, a person is asked, once. */

/** Whether a connection leads where money is real; a full address says by itself where it leads. */
export function isProduction({ _def, fromEnvironment, ...connection }) {
  const { production } = _def.fxdesk;
  if (!production || fromEnvironment) return false;
  const { setting, value, replacedBy } = production;
  return connection[setting] === value && !replacedBy.some((name) => connection[name]);
}

/** A node that calls what it is told to may commit money, too. */
function mayCommitMoney({ d: isDisabled, _def: { fxdesk, defaults } }) {
  const callsAny = defaults.operation !== undefined && !fxdesk?.trigger;
  return !isDisabled && fxdesk !== undefined && (fxdesk.effect === "money" || callsAny);
}

/** The connections to production that nobody was asked about, of nodes that commit money. */
function unconfirmed() {
  const found = new Set();
  RED.nodes.eachNode((node) => {
    if (!node.connection || !mayCommitMoney(node)) return;
    const connection = RED.nodes.node(node.connection);
    if (connection && !connection.moneyConfirmed && isProduction(connection)) found.add(connection);
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
    for (const connection of connections) Object.assign(connection, { moneyConfirmed: true, changed: true });
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
