/** Page at /docs: the OpenAPI document of the simulated service, with a form to try each operation. */
import { type Field, fieldsOf, type GeneratedValue, type Service } from "@fxdesk/toolkit/operations";
import { createReadStream, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Demo, demoOf } from "../session/demo";
import { extensionsFor } from "../extensions";
import type { RoutePlugin } from "../server/server";
import { createPageTemplate, html } from "../pages/page";

export const docsPath = "/docs";
const documentPath = `${docsPath}/openapi.json`;
const libraryPath = `${docsPath}/explorer.js`;

const folder = join(__dirname, "../..");
/** Explorer library with its dependencies, bundled by the build. */
const library = join(folder, "dist/explorer/explorer.js");
const script = readFileSync(join(folder, "resources/docs.js"), "utf8");

/** Light colours only, because the library has no dark scheme. */
const style = `
:root { color-scheme: only light; }
body { display: grid; grid-template-rows: auto minmax(0, 1fr); height: 100vh; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1rem; padding: .6rem 1rem; color: #17212b;
  background: #fff; border-bottom: 1px solid #e1e6ec; }
header p { margin: 0; }
header a, header p { color: #1d4ed8; }
header p { color: #56636f; }
openapi-explorer { height: 100%; --blue: #1d4ed8; --green: #166534; --orange: #9a3412; --red: #991b1b; --yellow: #854d0e;
  --purple: #6b21a8; --gray: #475569; }
`;

const pages = createPageTemplate(style, { script, library: libraryPath });

/** Placeholder in forms, which the page replaces with a new ID for each call. */
const placeholder = "00000000-0000-4000-8000-000000000000";

const generatedValues: Readonly<Record<GeneratedValue, string | undefined>> = {
  uuid: placeholder,
  reference: undefined,
  "local-address": "127.0.0.1",
};

/** Returns the form default of a field: a setting of the demo company or a generated value. */
const defaultValueOf = ({ filledBy, setting, generate }: Field, demo: Demo): string | undefined =>
  filledBy === "caller" ? undefined : (demo[setting] ?? (generate && generatedValues[generate]));

const defaultsFor = ({ operations }: Service, demo: Demo): Readonly<Record<string, string>> =>
  Object.fromEntries(
    operations.flatMap(fieldsOf).flatMap((field) => {
      const value = defaultValueOf(field, demo);
      return value === undefined ? [] : [[field.name, value] as const];
    }),
  );

/**
 * Returns the OpenAPI document with this sandbox's address and the demo company's values. The generator is loaded on
 * first use.
 */
async function openApiDocumentFor(service: Service, demo: Demo, origin: string): Promise<object> {
  const { openApiDocument } = await import("@fxdesk/toolkit/openapi");
  const manifest = await readFile(join(folder, "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const servers = Object.fromEntries(Object.keys(service.servers).map((name) => [name, origin]));
  return openApiDocument(service, { version, servers, defaults: defaultsFor(service, demo) });
}

function renderPage({ credentials }: Service, demo: Demo): string {
  const credentialValues = Object.entries(credentials).map(
    ([name, { setting }]) => [name, demo[setting]] as const,
  );
  return pages.render(
    "Operations · fxdesk sandbox",
    html`<header>
        <h1>Operations</h1>
        <p>Calls run in this sandbox as ${demo.clientId}.</p>
        <a href="/">Dashboard</a> <a href="${documentPath}">OpenAPI document</a>
      </header>
      <openapi-explorer
        spec-url="${documentPath}"
        data-credentials="${JSON.stringify(Object.fromEntries(credentialValues))}"
        data-placeholder="${placeholder}"
        hide-server-selection
        collapse
        default-schema-tab="body"
        nav-bg-color="#14532d"
        nav-text-color="#ffffff"
        nav-hover-bg-color="#0f3d21"
        nav-hover-text-color="#ffffff"
        primary-color="#14532d"
        secondary-color="#86efac"
        text-color="#17212b"
      >
        <p slot="overview-footer">
          Each operation has a form. Execute sends it with the credentials of the demo company; enter others
          under Authentication.
        </p>
      </openapi-explorer>`,
  );
}

/** Adds the sandbox's extensions to a service. */
const withExtensions = (service: Service): Service => ({
  ...service,
  operations: [...service.operations, ...extensionsFor(service).service.operations],
});

export const docs: RoutePlugin = (app, session, ownService) => {
  // A custom service may have its own operation at this path.
  if (app.hasRoute({ method: "GET", url: docsPath })) return;
  const service = withExtensions(ownService);
  const demo = () => demoOf(service, session.world);
  app.get(docsPath, (_request, reply) => reply.headers(pages.headers).send(renderPage(service, demo())));
  app.get(documentPath, (request) => openApiDocumentFor(service, demo(), `http://${request.headers.host}`));
  app.get(libraryPath, (_request, reply) =>
    reply.type("text/javascript; charset=utf-8").send(createReadStream(library)),
  );
};
