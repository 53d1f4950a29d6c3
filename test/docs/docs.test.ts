/** What the documents say and show is true. */
import { existsSync, readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { demo, type Sandbox } from "@fxdesk/sandbox";
import { environmentName, serviceFrom } from "@fxdesk/toolkit";
import { fxdeskService } from "../../core/client/fxdesk-service";
import { exitMeanings } from "../../cli/command-line/exit-codes";
import manifest from "../../package.json";
import sandboxManifest from "../../sandbox/package.json";
import { runModule } from "../support/consumer-project";
import { tempFolder } from "../support/resources";
import { openSandbox } from "../support/sandboxes";
import { runForOutput } from "../support/surfaces";
import { commandsIn, examplesIn, shows, Terminal } from "./shell";

const root = join(__dirname, "../..");
const guides = ["docs", "docs/hosts"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `${folder}/${name}`),
);
const skills = readdirSync(join(root, "skills")).map((name) => `skills/${name}/SKILL.md`);
const documents = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...guides];

const read = (path: string) => readFile(join(root, path), "utf8");

async function blocks(path: string, language: string): Promise<string[]> {
  const text = await read(path);
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code!);
}

const plain = (cell: string) => cell.replaceAll("`", "").trim();

/** The cells of the first two columns of each table row, without the marks of code. */
async function rows(path: string): Promise<[string, string][]> {
  const cells = (await read(path)).matchAll(/^\| (.*?) \| (.*?) \|/gm);
  return [...cells].map(([, name, description]) => [plain(name!), plain(description!)]);
}

test.each(documents)("%s leads only to files that are there", async (path) => {
  const targets = [...(await read(path)).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target]) => target!);
  expect(targets.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([]);
});

/** Returns the anchors of a page, as GitHub makes them. */
const anchorsOf = (text: string) =>
  [...text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

test.each(documents)("%s leads only to headings that are there", async (path) => {
  const missing: string[] = [];
  for (const [, target, anchor] of (await read(path)).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)) {
    const page = target ? join(dirname(path), target) : path;
    if (!anchorsOf(await read(page)).includes(anchor!)) missing.push(`${target}#${anchor}`);
  }
  expect(missing).toEqual([]);
});

test.each(guides)("%s names only tests that are there", async (path) => {
  const named = [...(await read(path)).matchAll(/`(test\/[\w/.-]+\.ts)`/g)].map(([, file]) => file!);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test.each(skills)("%s names itself, and only tools that exist", async (path) => {
  const text = await read(path);
  const [, name, description] = /^---\nname: ([a-z-]+)\ndescription: (.+)\n---\n/.exec(text)!;
  expect(path).toBe(`skills/${name}/SKILL.md`);
  expect(description!.length).toBeLessThanOrEqual(1_024);
  const { procedures = [], operations, quoteProcedures = [] } = fxdeskService;
  const tools = new Set([...procedures, ...operations, ...quoteProcedures].map(({ tool }) => tool));
  const named = [
    ...text.matchAll(
      /`((?:get|list|find|fetch|book|order|prepare|initiate|follow|summarize|reconcile)_\w+)`/g,
    ),
  ];
  expect(named.length).toBeGreaterThan(0);
  expect(named.map(([, tool]) => tool!).filter((tool) => !tools.has(tool))).toEqual([]);
});

test("the module of the user's own adds what it holds", async () => {
  const [code] = await blocks("docs/client.md", "js");
  const path = join(await tempFolder(), "extensions.js");
  await writeFile(path, code!);
  const { operations, watches, interceptors } = serviceFrom({ FXDESK_EXTENSIONS: path });
  expect(operations.at(-1)).toMatchObject({ name: "fixings.get", effect: "read" });
  expect(watches!.at(-1)).toMatchObject({ name: "accounts.watchNames", effect: "read" });
  expect(interceptors).toHaveLength(1);
});

/** From its sandbox's start to its close: it needs nothing from elsewhere. */
const isCompleteExample = (code: string) => /startSandbox\(.*sandbox\.close\(\)/s.test(code);

test("the examples that start a sandbox of their own run to their end", async () => {
  const whole = (await blocks("docs/sandbox.md", "ts")).filter(isCompleteExample);
  expect(whole).toHaveLength(3);
  const [called, , quoted] = await Promise.all(whole.map(runModule));
  expect(called).toContain("/trades");
  expect(quoted).toContain("quote_id");
});

test("the login page is where the guide says", async () => {
  const [, path] = /http:\/\/127\.0\.0\.1:8080(\/authenticate\S+)/.exec(await read("docs/sandbox.md"))!;
  const { baseUrl } = await openSandbox();
  const response = await fetch(baseUrl + path!);
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
});

const fences = /^```(\w+)(?: (.*))?\n/gm;

test("every code block is of a kind that is compiled, run or parsed", async () => {
  const kinds = new Set(["ts", "js", "json", "python", "yaml", "sh", "sh check", "console", "ini"]);
  for (const path of ["README.md", ...guides])
    for (const [, language, note] of (await read(path)).matchAll(fences))
      if (!kinds.has([language, note].filter(Boolean).join(" ")))
        throw new Error(`${path}: ${language} ${note}`);
});

test("services start commands that exist", async () => {
  const [unit] = await blocks("docs/deployment.md", "ini");
  const [, command, rest] = /^ExecStart=\/usr\/local\/bin\/fxdesk (\w+) (.*)$/m.exec(unit!)!;
  const help = await runForOutput([command!, "--help"], {});
  const flags = rest!.match(/--[a-z-]+/g)!;
  expect(flags.filter((flag) => !help.includes(`  ${flag} `))).toEqual([]);
});

test("the compose file starts programs of the image with flags and settings that exist", async () => {
  type ComposeService = { command?: string; environment: Record<string, string>; ports?: string[] };
  const [text] = await blocks("docs/deployment.md", "yaml");
  const { services } = parse(text!, { merge: true }) as { services: Record<string, ComposeService> };
  const settings = await read("docs/settings.md");
  const start = await read("container/start");
  const programs = Object.values(services).filter(({ command }) => command !== undefined);
  expect(programs).toHaveLength(2);
  for (const { command, environment } of programs) {
    const [program, ...words] = command!.split(" ");
    const [, started] = new RegExp(`^  ${program}\\) exec fxdesk ([a-z ]+?) --`, "m").exec(start)!;
    const help = await runForOutput([...started!.split(" "), "--help"], {});
    const flags = words.filter((word) => word.startsWith("--"));
    expect(flags.filter((flag) => !help.includes(`  ${flag} `))).toEqual([]);
    for (const variable of Object.keys(environment)) expect(settings).toContain(`\`${variable}\``);
  }
});

test("messages of the troubleshooting page are those of the product", async () => {
  const sources = await Promise.all(
    ["core", "cli", "nodes", "mcp"]
      .flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) =>
          join(folder, name),
        ),
      )
      .filter((path) => /\.(ts|json)$/.test(path))
      .map(read),
  );
  const text = sources.join().replaceAll(/["`] \+\s+["`]/g, "");
  const messages = [...(await read("docs/troubleshooting.md")).matchAll(/^\| `(.+?)`/gm)];
  const beginnings = messages.map(([, message]) => message!.split(/[…(\d]/)[0]!.trim());
  expect(beginnings.length).toBeGreaterThan(10);
  expect(beginnings.filter((beginning) => !text.includes(beginning))).toEqual([]);
});

test("examples in JSON can be parsed", async () => {
  for (const path of ["README.md", ...guides])
    for (const code of await blocks(path, "json")) expect(JSON.parse(code)).toBeInstanceOf(Object);
});

describe("commands", () => {
  let sandbox: Sandbox;
  /** The help of each command, by its name. */
  let help: ReadonlyMap<string, string>;
  beforeAll(async () => {
    sandbox = await openSandbox();
    const text = await runForOutput(["--help"], {});
    const names = [...text.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name!);
    help = new Map(
      await Promise.all(names.map(async (name) => [name, await runForOutput([name, "--help"], {})] as const)),
    );
  });

  test.each(["README.md", ...guides, ...skills])(
    "%s: commands succeed and print what the page shows",
    async (path) => {
      const terminal = await Terminal.open(sandbox);
      for (const { command, output: expected } of examplesIn(await read(path))) {
        const { code, output } = await terminal.run(command);
        if (expected === undefined) expect({ command, code, output }).toMatchObject({ command, code: 0 });
        else if (!shows(expected, output)) expect({ command, output }).toEqual({ command, output: expected });
      }
    },
  );

  test("commands that are only shown exist", async () => {
    for (const path of ["README.md", ...guides])
      for (const command of (await blocks(path, "sh check")).flatMap(commandsIn)) {
        const [, name] = /^(?:npx )?fxdesk ([a-z]+)/.exec(command) ?? [];
        if (name !== undefined) expect([...help.keys()]).toContain(name);
      }
  });

  test("every variable that a command explains is a setting of the page", async () => {
    const explained = [...help.values()].join().match(/\bFXDESK_[A-Z0-9_]+/g)!;
    const page = await read("docs/settings.md");
    expect([...new Set(explained)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  test("the variables that pages export exist", async () => {
    for (const path of ["README.md", ...guides])
      for (const [, name] of (await read(path)).matchAll(/^export (FXDESK_\w+)=/gm))
        expect([...help.values()].join()).toContain(name);
  });
});

test("the exit codes are those of the command", async () => {
  expect(await rows("docs/cli.md")).toEqual(expect.arrayContaining(Object.entries(exitMeanings)));
});

test("the demo credentials are those of the sandbox", async () => {
  const settings: Readonly<Record<string, string>> = demo;
  const shown = (await rows("docs/sandbox.md")).filter(([name]) => name.startsWith("FXDESK_"));
  expect(shown).toHaveLength(7);
  for (const [name, value] of shown) {
    const setting = Object.keys(settings).find((key) => environmentName(key) === name);
    expect({ name, value }).toEqual({ name, value: settings[setting!] });
  }
});

/** The packages that a list justifies. */
const named = (text: string) =>
  [...text.matchAll(/^- (.*?):/gm)].flatMap(([, names]) =>
    [...names!.matchAll(/\*\*(.*?)\*\*/g)].map(([, name]) => name!),
  );

test("every runtime dependency is justified, and no other", async () => {
  const [toolkit, sandbox] = (await read("docs/dependencies.md")).split("Of `@fxdesk/sandbox`");
  expect(named(toolkit!).toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted());
  const ownToo = ["@fxdesk/toolkit", ...named(sandbox!)];
  expect(ownToo.toSorted()).toEqual(Object.keys(sandboxManifest.dependencies).toSorted());
});
