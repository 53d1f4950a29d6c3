/** What can be tried goes to this sandbox, as the demo company, without anybody typing a credential. */
const explorer = document.querySelector("openapi-explorer");
const credentials = JSON.parse(explorer.dataset.credentials);
const { placeholder } = explorer.dataset;

explorer.addEventListener("spec-loaded", () => {
  for (const [scheme, token] of Object.entries(credentials))
    void explorer.setAuthenticationConfiguration(scheme, { token });
});

/** Each call is one of its own, unless somebody writes which it is. */
explorer.addEventListener("request", ({ detail: { request } }) => {
  // Browsers make identifiers on pages of this machine, and on those that come encrypted.
  const made = crypto.randomUUID?.() ?? placeholder;
  for (const [name, value] of Array.from(request.headers))
    if (value === placeholder) request.headers.set(name, made);
});
