/** The MCP bundle, unpacked and started as a host does. */
import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import { demo } from "@fxdesk/sandbox";
import manifest from "../../package.json";
import { revisions } from "../mcp/support/clients";
import { tempFolder } from "../support/resources";
import { openSandbox } from "../support/sandboxes";

interface BundleManifest {
  readonly version: string;
  readonly user_config: Readonly<Record<string, { readonly default?: string; readonly sensitive?: boolean }>>;
  readonly server: {
    readonly entry_point: string;
    readonly mcp_config: { command: string; args: string[]; env: Record<string, string> };
  };
}

const root = join(__dirname, "../..");

test("a bundle answers its host with the values of the form", async () => {
  const folder = await tempFolder();
  const bundle = join(folder, "fxdesk.mcpb");
  await promisify(execFile)(process.execPath, ["dist/build/mcp-bundle.js", bundle], { cwd: root });
  for (const [path, content] of Object.entries(unzipSync(await readFile(bundle)))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const found = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as BundleManifest;
  expect(found.version).toBe(manifest.version);
  const secrets = Object.entries(found.user_config).filter(([, { sensitive }]) => sensitive);
  expect(secrets.map(([name]) => name).toSorted()).toEqual(["accessToken", "apiKey"]);

  const sandbox = await openSandbox();
  const { clientId, accessToken, apiKey } = demo;
  const form = {
    clientId,
    accessToken,
    apiKey,
    domain: "example.com",
    allow: found.user_config.allow!.default!,
  };
  const values = new Map(Object.entries({ ...form }).map(([name, value]) => [`user_config.${name}`, value]));
  values.set("__dirname", folder);
  const fill = (text: string) => text.replace(/\$\{([^}]+)\}/g, (_, name: string) => values.get(name)!);
  const { args, env } = found.server.mcp_config;
  const filled = Object.fromEntries(Object.entries(env).map(([name, text]) => [name, fill(text)]));
  const client = await revisions["2025-11-25"].stdio({
    command: process.execPath,
    args: args.map(fill),
    // The sandbox has an address instead of a domain.
    env: { ...filled, FXDESK_BASE_URL: sandbox.baseUrl },
  });
  const { tools } = await client.listTools();
  expect(tools.filter(({ annotations }) => !annotations?.readOnlyHint)).toEqual([]);
  const { structuredContent } = await client.callTool({ name: "get_cash_position", arguments: {} });
  expect(structuredContent).toMatchObject({ complete: true });
}, 300_000);
