/** Fills in the demo company's credentials, so that calls to this sandbox work at once. */
const explorer = document.querySelector("openapi-explorer");
const credentials = JSON.parse(explorer.dataset.credentials);
const { placeholder } = explorer.dataset;

explorer.addEventListener("spec-loaded", () => {
  for (const [scheme, token] of Object.entries(credentials))
    void explorer.setAuthenticationConfiguration(scheme, { token });
});

/** Replaces the placeholder with a new request ID for each call, unless the person entered one. */
explorer.addEventListener("request", ({ detail: { request } }) => {
  // Browsers provide randomUUID only on localhost and over TLS.
  const requestId = crypto.randomUUID?.() ?? placeholder;
  for (const [name, value] of Array.from(request.headers))
    if (value === placeholder) request.headers.set(name, requestId);
});
