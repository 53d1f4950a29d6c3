/** The buttons "Log in" and "Test" of the connection form. Both send the current values of the form to the runtime. */

import { errorMessageOf } from "./runtime-requests.js";
import { translate } from "./form-texts.js";

const pollIntervalMs = 1000;

/** Uses jQuery because the editor adds its access token to jQuery requests. */
const post = (path, id, values) =>
  $.ajax({
    url: `fxdesk/connection/${path}`,
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ id, values }),
  });

/** Copies the result of a login into the form. */
function fillLogin({ login, clientId }) {
  $("#node-config-input-login").val(login).trigger("change");
  const client = $("#node-config-input-clientId");
  if (clientId && client.val() === "") client.val(clientId).trigger("change");
}

/** Connects the buttons of the connection form. `valuesOf` returns the current values of the form. */
export function addConnectionActions(node, valuesOf) {
  const state = $("#fxdesk-connection-state");
  const showState = (key, values) => state.text(translate(`connection.${key}`, values));

  const showTestResult = ({ environment, address, clientId: client = "–", message }) =>
    message
      ? showState("testFailed", { environment, client, message })
      : showState("testDone", { environment, address, client });

  const showLoginResult = (result) => {
    fillLogin(result);
    const { environment, clientId: client, clientIds } = result;
    if (client) showState("loginDone", { environment, client });
    else showState("loginNoClient", { environment, clients: clientIds.join(", ") || "–" });
  };

  /** Polls the state of a login for as long as the form is open. */
  function pollLogin(handle) {
    if (!state.closest("body").length) return;
    $.getJSON(`fxdesk/connection/login/${handle}`)
      .done((login) => {
        if (login.state === "waiting") setTimeout(pollLogin, pollIntervalMs, handle);
        else if (login.state === "failed") state.text(login.message);
        else showLoginResult(login);
      })
      .fail(() => showState("loginTimedOut"));
  }

  $("#fxdesk-connection-test").on("click", () => {
    showState("testing");
    post("test", node.id, valuesOf())
      .done(showTestResult)
      .fail((failed) => state.text(errorMessageOf(failed)));
  });

  $("#fxdesk-connection-login").on("click", () => {
    // Opened now: browsers block windows that are not opened during the click itself.
    const page = window.open("about:blank");
    post("login", node.id, valuesOf())
      .done(({ handle, address }) => {
        showState("loginWaiting");
        if (page) {
          page.opener = null;
          page.location.replace(address);
        } else state.append(" ", $("<a>").attr({ href: address, target: "_blank" }).text(address));
        pollLogin(handle);
      })
      .fail((failed) => {
        page?.close();
        state.text(errorMessageOf(failed));
      });
  });

  $("#fxdesk-connection-test, #fxdesk-connection-login").prop("disabled", false);
}
