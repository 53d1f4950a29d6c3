/** The form of a connection. For Log in and Test the runtime is asked with what it holds. */

import { isProduction } from "./production.js";
import { messageOf } from "./through.js";
import { settingWords, withWords, words } from "./words.js";

const everyMs = 1000;

/** What the form holds, by name. */
function valuesOf(node) {
  const input = (name) => $(`#node-config-input-${name}`);
  const values = Object.fromEntries(
    [...node._def.fxdesk.settings, "tls"].map((name) => [name, String(input(name).val() ?? "")]),
  );
  if (values.tls === "_ADD_") values.tls = "";
  if (input("fromEnvironment").prop("checked")) values.fromEnvironment = "true";
  return values;
}

/** The editor's own requests carry its token. */
const post = (path, node) =>
  $.ajax({
    url: `fxdesk/connection/${path}`,
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ id: node.id, values: valuesOf(node) }),
  });

/** Gives what a login has given to the form. */
function fill({ login, clientId }) {
  $("#node-config-input-login").val(login).trigger("change");
  const client = $("#node-config-input-clientId");
  if (clientId && client.val() === "") client.val(clientId).trigger("change");
}

function addAttempts(node) {
  const state = $("#fxdesk-connection-state");
  const say = (key, values) => state.text(words(node, `connection.${key}`, values));

  const tried = ({ environment, address, clientId: client = "–", message }) =>
    message
      ? say("testFailed", { environment, client, message })
      : say("testDone", { environment, address, client });

  const loggedIn = (result) => {
    fill(result);
    const { environment, clientId: client, clientIds } = result;
    if (client) say("loginDone", { environment, client });
    else say("loginNoClient", { environment, clients: clientIds.join(", ") || "–" });
  };

  /** Asks how the login stands while the form is open. */
  function follow(handle) {
    if (!state.closest("body").length) return;
    $.getJSON(`fxdesk/connection/login/${handle}`)
      .done((login) => {
        if (login.state === "waiting") setTimeout(follow, everyMs, handle);
        else if (login.state === "failed") state.text(login.message);
        else loggedIn(login);
      })
      .fail(() => say("loginOver"));
  }

  $("#fxdesk-connection-test").on("click", () => {
    say("testWaits");
    post("test", node)
      .done(tried)
      .fail((failed) => state.text(messageOf(failed)));
  });

  $("#fxdesk-connection-login").on("click", () => {
    // A page that is opened later than the click is kept back by browsers.
    const page = window.open("about:blank");
    post("login", node)
      .done(({ handle, address }) => {
        say("loginWaits");
        if (page) {
          page.opener = null;
          page.location.replace(address);
        } else state.append(" ", $("<a>").attr({ href: address, target: "_blank" }).text(address));
        follow(handle);
      })
      .fail((failed) => {
        page?.close();
        state.text(messageOf(failed));
      });
  });
}

export const connectionLabel = (node) =>
  node.name ||
  (node.fromEnvironment ? words(node, "connection.environment") : node.baseUrl || node.domain) ||
  "fxdesk";

const isAddress = (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
const isByte = (text) => /^\d{1,3}$/.test(text) && Number(text) < 256;
const shapes = {
  address: isAddress,
  count: (text) => /^[1-9]\d*$/.test(text),
  host: (text) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text),
  ipv4: (text) => text.split(".").length === 4 && text.split(".").every(isByte),
};

/** Nobody knows before the deploy what a variable holds. */
const hasVariable = (text) => /\$[{(]/.test(text);

const fits = (shape, text) => text === "" || hasVariable(text) || shapes[shape](text);

const reasonOf = (node, shape) => words(node, `connection.shapes.${shape}`);

/** Of a property of a connection, for the editor: true, or what is wrong with it. */
export function shapeProblem(node, name, given) {
  const { [name]: shape } = node._def.fxdesk.shapes;
  if (node.fromEnvironment || fits(shape, String(given ?? ""))) return true;
  return `${settingWords(name).label}: ${reasonOf(node, shape)}`;
}

/** Says below a field what is wrong with what is typed. */
function addShapes(node) {
  for (const [name, shape] of Object.entries(node._def.fxdesk.shapes)) {
    const input = $(`#node-config-input-${name}`);
    const reason = $(`#node-config-input-${name}-reason`);
    input.attr("aria-describedby", reason.attr("id")).on("input change", () => {
      const isFitting = fits(shape, input.val());
      input.attr("aria-invalid", String(!isFitting));
      reason.text(isFitting ? "" : reasonOf(node, shape));
    });
    input.trigger("change");
  }
}

const namesIn = (template) => [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

/** The address that settings make, such as `https://sandbox.example.com/`; undefined where one is missing. */
const madeOf = (template, values) =>
  namesIn(template).every((name) => values[name])
    ? template.replace(/\{(\w+)\}/g, (_, name) => values[name])
    : undefined;

/** What a mistake would cost; unknown where a full address leads that nobody called a sandbox. */
function riskOf(node, values, own) {
  const { setting, value } = node._def.fxdesk.production;
  if (isProduction({ ...values, fromEnvironment: false, _def: node._def })) return "production";
  return own && values[setting] === value ? "unknown" : "none";
}

/** Shows where the connection leads, in the colour of its risk, and of the fields of an address those that count. */
function addLeads(node) {
  const { production } = node._def.fxdesk;
  if (!production) return;
  const { setting, replacedBy, address: template } = production;
  const parts = namesIn(template).filter((name) => name !== setting);
  const look = () => {
    const values = valuesOf(node);
    const own = replacedBy.map((name) => values[name]).find(Boolean);
    const address = own ?? madeOf(template, values) ?? words(node, "connection.leads.nowhere");
    const risk = riskOf(node, values, own);
    $(".fxdesk-leads")
      .attr("data-risk", risk)
      .text(words(node, `connection.leads.${risk}`, { address }));
    for (const name of parts)
      $(`#node-config-input-${name}`)
        .closest(".form-row")
        .toggle(!own || values[name] !== "");
  };
  $(".fxdesk-settings").on("input change", look);
  look();
}

/** What nobody needs at first is folded away, unless it is filled; a new connection needs credentials. */
function foldSections(node) {
  const { settings, usual, production } = node._def.fxdesk;
  const isFilled = (name) => {
    const control = $(`#node-config-input-${name}`);
    const first = control.is("select") ? control.find("option").first().val() : "";
    return (control.val() ?? "") !== (usual[name] ?? first) && name !== production?.setting;
  };
  const isNew = !settings.some(isFilled);
  $(".fxdesk-settings details").each(function () {
    const names = settings.filter((name) => $(this).find(`#node-config-input-${name}`).length > 0);
    this.open = names.some(isFilled) || (isNew && this.dataset.section === "credentials");
  });
}

function nameSettings({ _def }, form) {
  for (const name of _def.fxdesk.settings) {
    const { label, description } = settingWords(name);
    const caption = form.find(`label[for="node-config-input-${name}"]`).text(label);
    if (description) RED.popover.tooltip(caption, description);
  }
}

export function openConnection(node) {
  const form = $(".fxdesk-settings");
  const variables = $(".fxdesk-variables");
  const state = $("#fxdesk-connection-state");
  withWords(node, { form, state, fill: () => nameSettings(node, form) });
  // A connection from a flow written by hand may have nothing selected: then counts what is usual.
  form.find("select").each(function () {
    const name = this.id.replace("node-config-input-", "");
    if (this.selectedIndex < 0) this.value = node._def.fxdesk.usual[name] ?? this.options[0].value;
  });
  foldSections(node);
  addShapes(node);
  addLeads(node);
  $("#node-config-input-fromEnvironment")
    .on("change", function () {
      form.toggle(!this.checked);
      variables.toggle(this.checked);
      $("#fxdesk-connection-login").toggle(!this.checked);
    })
    .trigger("change");
  addAttempts(node);
}
