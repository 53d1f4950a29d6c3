/** Writes an MCP bundle (.mcpb): the server with its dependencies in one file, which desktop hosts install with a form. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { zipSync } from "fflate";
import { environmentName, settingsOf } from "../core/call/settings";
import { fxdeskService } from "../core/client/fxdesk-service";
import { type Manifest, writeProductionLock } from "./production-lock";

/** Settings of the form. All are required: hosts do not agree on what an empty one means. */
const formSettings = new Set(["domain", "clientId", "accessToken", "apiKey"]);

const entryPoint = "dist/cli/main.js";
const substitute = (name: string) => `\${user_config.${name}}`;

function bundleManifest({ version, description, license, engines }: Manifest) {
  const settings = settingsOf(fxdeskService).filter(({ name }) => formSettings.has(name));
  const { node } = engines as { readonly node: string };
  return {
    manifest_version: "0.3",
    name: "fxdesk",
    display_name: "fxdesk",
    version,
    description,
    author: { name: "fxdesk" },
    license,
    server: {
      type: "node",
      entry_point: entryPoint,
      mcp_config: {
        command: "node",
        args: [`\${__dirname}/${entryPoint}`, "mcp"],
        env: {
          ...Object.fromEntries(settings.map(({ name }) => [environmentName(name), substitute(name)])),
          FXDESK_MCP_ALLOW: substitute("allow"),
        },
      },
    },
    tools_generated: true,
    user_config: {
      ...Object.fromEntries(
        settings.map(({ name, title, description: text, secret }) => [
          name,
          { type: "string", title, description: text, required: true, sensitive: secret },
        ]),
      ),
      allow: {
        type: "string",
        title: "Also allow",
        description:
          "change, money, or both separated by a comma. Empty: tools that read. Money calls wait for release by a person.",
        default: "",
      },
    },
    compatibility: { platforms: ["linux", "darwin", "win32"], runtimes: { node } },
  };
}

/** Fixed, so that equal contents are equal files. */
const mtime = new Date(Date.UTC(2000, 0, 1));

const uncopied = new Set(["node_modules", ".git", "sandbox", "site", "test"]);

const folder = mkdtempSync(join(tmpdir(), "fxdesk-mcpb-"));
try {
  // A copy without scripts: some versions of npm always run `prepare`, which deletes dist while others use it.
  const copy = join(folder, "copy");
  cpSync(".", copy, { recursive: true, filter: (path) => !uncopied.has(path) });
  const manifest = writeProductionLock(copy);
  const packed = execFileSync("npm", ["pack", "--json", "--workspaces=false", "--pack-destination", folder], {
    cwd: copy,
    encoding: "utf8",
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync("tar", ["-xzf", join(folder, filename), "-C", folder]);
  const root = join(folder, "package");
  cpSync(join(copy, "package-lock.json"), join(root, "package-lock.json"));
  const options = ["--ignore-scripts", "--no-bin-links", "--no-audit", "--no-fund", "--workspaces=false"];
  execFileSync("npm", ["ci", ...options], { cwd: root, stdio: "ignore" });
  writeFileSync(join(root, "manifest.json"), JSON.stringify(bundleManifest(manifest), null, 2));
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  const files = paths.map((path) => [relative(root, path), readFileSync(path)] as const);
  const target = resolve(process.argv[2] ?? `fxdesk-${manifest.version}.mcpb`);
  writeFileSync(target, zipSync(Object.fromEntries(files), { mtime }));
  console.log(target);
} finally {
  rmSync(folder, { recursive: true });
}
