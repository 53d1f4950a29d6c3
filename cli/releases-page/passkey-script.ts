/** The script of pages with passkeys. It converts by hand, because password managers break `PublicKeyCredential.toJSON`. */
export const passkeyScript = `"use strict";
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const withBytes = (each) => ({ ...each, id: toBytes(each.id) });

/** Asks the device for a response, and returns it as JSON. */
async function ask(kind, json) {
  const options = JSON.parse(json);
  const publicKey = {
    ...options,
    challenge: toBytes(options.challenge),
    ...(options.user && { user: withBytes(options.user) }),
    ...(options.allowCredentials && { allowCredentials: options.allowCredentials.map(withBytes) }),
    ...(options.excludeCredentials && { excludeCredentials: options.excludeCredentials.map(withBytes) }),
  };
  const { id, type, response } = await navigator.credentials[kind]({ publicKey });
  const fields = ["clientDataJSON", "attestationObject", "authenticatorData", "signature"].filter((name) => response[name]);
  const encoded = Object.fromEntries(fields.map((name) => [name, toText(response[name])]));
  const transports = response.getTransports?.();
  return JSON.stringify({ id, rawId: id, type, response: { ...encoded, transports }, clientExtensionResults: {} });
}

for (const form of document.querySelectorAll("form[data-request], form[data-creation]")) {
  form.addEventListener("submit", async (event) => {
    const { code, passkey, new_passkey } = form.elements;
    const { request, creation } = form.dataset;
    // An optional code replaces the passkey.
    const isReplaced = code && !code.required && code.value.trim() !== "";
    if (isReplaced && !creation) return;
    event.preventDefault();
    const [button, alert] = [form.querySelector("button"), form.querySelector("[role=alert]")];
    button.disabled = true;
    alert.hidden = true;
    try {
      if (request && !isReplaced) passkey.value = await ask("get", request);
      if (creation) new_passkey.value = await ask("create", creation);
      form.submit();
    } catch (error) {
      alert.textContent = "The passkey was not used (" + error.name + "). Nothing was sent: try again.";
      alert.hidden = false;
      button.disabled = false;
    }
  });
}
`;
