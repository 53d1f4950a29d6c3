/** The form of a connection. For Log in and Test the runtime is asked with what it holds. */

import { messageOf } from "./through.js";
import { words } from "./words.js";

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

export function openConnection(node) {
  const form = $(".fxdesk-settings");
  const variables = $(".fxdesk-variables");
  for (const name of node._def.fxdesk.settings) {
    const key = `connection.settings.${name}`;
    variables.find("ul").append($("<li>").append($("<code>").text(words(node, `${key}.variable`))));
    RED.popover.tooltip(
      form.find(`label[for="node-config-input-${name}"]`),
      words(node, `${key}.description`),
    );
  }
  // A connection from a flow written by hand may have nothing selected.
  form.find("select").each(function () {
    this.selectedIndex = Math.max(this.selectedIndex, 0);
  });
  $("#node-config-input-fromEnvironment")
    .on("change", function () {
      form.toggle(!this.checked);
      variables.toggle(this.checked);
      $("#fxdesk-connection-login").toggle(!this.checked);
    })
    .trigger("change");
  addAttempts(node);
}
