/** Log in and Test on the form of a connection: the runtime is asked with what it holds. */

import { messageOf } from "./through.js";
import { words } from "./words.js";

const everyMs = 1000;

/** The editor's own requests carry its token. */
const post = (path, id, values) =>
  $.ajax({
    url: `fxdesk/connection/${path}`,
    method: "POST",
    contentType: "application/json",
    data: JSON.stringify({ id, values }),
  });

/** Gives what a login has given to the form. */
function fill({ login, clientId }) {
  $("#node-config-input-login").val(login).trigger("change");
  const client = $("#node-config-input-clientId");
  if (clientId && client.val() === "") client.val(clientId).trigger("change");
}

/** Makes the buttons of the form of a connection work; `valuesOf` gives what it holds. */
export function addAttempts(node, valuesOf) {
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
    post("test", node.id, valuesOf())
      .done(tried)
      .fail((failed) => state.text(messageOf(failed)));
  });

  $("#fxdesk-connection-login").on("click", () => {
    // A page that is opened later than the click is kept back by browsers.
    const page = window.open("about:blank");
    post("login", node.id, valuesOf())
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

  $("#fxdesk-connection-test, #fxdesk-connection-login").prop("disabled", false);
}
