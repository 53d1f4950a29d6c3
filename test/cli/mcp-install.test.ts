/** `fxdesk mcp install`: configuration files of hosts, changed and changed back. */
import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { changeEntry, type EntryLocation } from "../../cli/mcp-install/config-edits";
import { configFileOf, hosts } from "../../cli/mcp-install/hosts";
import { tempFolder } from "../support/resources";
import { runFxdesk, type Variables } from "./run-command";

const installed = async (client: string, args: readonly string[] = [], variables: Variables = {}) => {
  const home = variables.HOME ?? (await tempFolder());
  const environment = { HOME: home, CODEX_HOME: join(home, ".codex"), XDG_CONFIG_HOME: "", ...variables };
  const file = configFileOf(hosts[client]!, environment);
  const run = (...more: string[]) =>
    runFxdesk(["mcp", "install", "--client", client, ...args, ...more], { variables: environment });
  const put = async (text: string) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  return { file, run, put, read: () => readFile(file, "utf8") };
};

const entryIn = (client: string, text: string): unknown => {
  const { format, servers } = hosts[client]!.location;
  const content = (format === "json" ? parseJsonc(text) : parseToml(text)) as Record<string, any>;
  return (content[servers] as Record<string, unknown>)["fxdesk"];
};

test.each(Object.keys(hosts))(
  "%s: adds the server without secrets, and takes it out again",
  async (client) => {
    const secrets = {
      FXDESK_ACCESS_TOKEN: "canary-1",
      FXDESK_API_KEY: "canary-2",
      FXDESK_STORE_KEY: "canary-3",
    };
    const { run, read } = await installed(client, ["--allow", "change"], {
      ...secrets,
      FXDESK_DOMAIN: "example.com",
      FXDESK_STORE: "postgres://desk:canary-4@db/fxdesk",
    });
    const { code, stdout } = await run("--yes");
    expect(code).toBe(0);
    for (const name of [...Object.keys(secrets), "FXDESK_STORE"]) expect(stdout).toContain(name);
    const text = await read();
    expect(stdout + text).not.toContain("canary");
    expect(entryIn(client, text)).toMatchObject({
      command: process.execPath,
      args: [expect.stringMatching(/main\.js$/), "mcp", "--allow", "change"],
      env: { FXDESK_DOMAIN: "example.com" },
    });
    expect((await run("--yes")).stdout).toContain("needs no change");
    expect((await run("--undo", "--yes")).code).toBe(0);
    expect(await read()).not.toContain("fxdesk");
  },
);

test("keeps comments, permissions and every other byte", async () => {
  const { file, run, put, read } = await installed("vscode");
  const before =
    '{\r\n\t// mine\r\n\t"servers": {\r\n\t\t"other": { "command": "x" }, // theirs\r\n\t},\r\n\t"inputs": []\r\n}';
  await put(before);
  await chmod(file, 0o640);
  await run("--yes");
  const lines = before.split("\r\n");
  const after = (await read()).split("\r\n");
  for (const line of lines.filter((each) => !each.includes("other"))) expect(after).toContain(line);
  expect(await read()).toContain("// theirs");
  expect((await stat(file)).mode & 0o777).toBe(0o640);
  expect(entryIn("vscode", await read())).toMatchObject({ type: "stdio" });
});

test("writes nothing without a yes, or into a file that it does not understand", async () => {
  const { run, put, read } = await installed("claude");
  const asked = await run();
  expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  await expect(read()).rejects.toThrow("ENOENT");
  for (const broken of ['{ "mcpServers": ', "[]"]) {
    await put(broken);
    const { code, stderr } = await run("--yes");
    expect([code, stderr]).toEqual([2, expect.stringContaining("was not changed")]);
    expect(await read()).toBe(broken);
  }
  const codex = await installed("codex");
  const inline = 'mcp_servers = { other = { command = "x" } }\n';
  await codex.put(inline);
  expect((await codex.run("--yes")).code).toBe(2);
  expect(await codex.read()).toBe(inline);
});

test("refuses an unknown client and an unknown profile", async () => {
  const { run } = await installed("cursor", ["--profile", "none"]);
  expect((await run("--yes")).stderr).toContain("There is no profile none");
  expect((await runFxdesk(["mcp", "install"])).stderr).toContain("--client must be one of");
});

const entry = { command: "node", args: ["main.js", "mcp"], env: { FXDESK_PROFILE: "a" } };
const name = fc.constantFrom("other", "fxdesk2", "my-fxdesk", "z");
const values = fc.dictionary(name, fc.record({ command: fc.string(), args: fc.array(fc.string()) }), {
  maxKeys: 3,
});
const tomlValue = (value: unknown) => JSON.stringify(value).replaceAll("\u007f", "");
const tomlText = fc
  .tuple(fc.boolean(), values, fc.constantFrom("", "# end\n", '[tools]\nx = """\n[not.a.header\n"""\n'))
  .map(([withComment, servers, rest]) =>
    [
      withComment ? '# mine\nmodel = "m"\n\n' : "",
      ...Object.entries(servers).map(
        ([key, { command }]) => `[mcp_servers.${key}]\ncommand = ${tomlValue(command)} # c\n\n`,
      ),
      rest,
    ].join(""),
  );
const jsonText = fc
  .tuple(values, fc.constantFrom(undefined, 2, "\t"), fc.boolean())
  .map(
    ([servers, indent, withComment]) =>
      `${withComment ? "// mine\n" : ""}${JSON.stringify({ a: 1, mcpServers: servers, z: [1] }, null, indent)}\n`,
  );
const toml: EntryLocation = { format: "toml", servers: "mcp_servers", name: "fxdesk" };
const json: EntryLocation = { format: "json", servers: "mcpServers", name: "fxdesk" };

test.each([
  ["TOML", toml, tomlText],
  ["JSON", json, jsonText],
] as const)(
  "%s: adding keeps every line in its order, and taking out restores the file",
  (_, location, texts) => {
    fc.assert(
      fc.property(texts, (text) => {
        const added = changeEntry(text, location, entry);
        const replaced = changeEntry(added, location, { ...entry, args: ["other.js"] });
        expect(changeEntry(replaced, location, entry)).toBe(added);
        const restored = changeEntry(replaced, location, undefined);
        const withoutSpace = (each: string) => each.replace(/\s+/g, "");
        if (location.format === "toml") expect(restored).toBe(text);
        else expect(withoutSpace(restored)).toBe(withoutSpace(text));
      }),
      { seed: 7 },
    );
  },
);
