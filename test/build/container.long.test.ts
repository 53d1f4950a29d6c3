/**
 * Tests the container image without a container engine: stages are folders, and the instructions of the Containerfile run in
 * them. The program runs as the user that the image declares.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join, relative } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../demo/ports";
import { eventually } from "../support/eventually";
import { writePeople } from "../support/people-file";
import { runLater } from "../support/resources";

const root = join(__dirname, "../..");
const home = "/fxdesk";
/** Matches the folder of the image, and no path that ends with it. */
const homePath = /(?<![\w.])\/fxdesk/g;

const linesOf = async (name: string): Promise<readonly string[]> =>
  (await readFile(join(root, name), "utf8"))
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"));

/** Applies the ignore file: the last matching pattern decides for a folder and its contents. */
async function loadIgnoreRules(): Promise<(path: string) => boolean> {
  const rules = (await linesOf(".dockerignore")).map((line) => {
    const pattern = line
      .replace(/^!/, "")
      .replaceAll(".", String.raw`\.`)
      .replaceAll("*", "[^/]*");
    return { keeps: line.startsWith("!"), fits: new RegExp(`^${pattern}(/|$)`) };
  });
  return (path) => rules.findLast(({ fits }) => fits.test(path))?.keeps === false;
}

/** User ID of the process; that of the image if the tests may switch users. */
const [user, owner] =
  process.getuid!() === 0
    ? [{ uid: 1000, gid: 1000 }, "1000:1000"]
    : [{}, `${process.getuid!()}:${process.getgid!()}`];

/** PATH without the entries of the test runner, which contain another npm. */
const machinePath = process.env
  .PATH!.split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

interface Stage {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
}

let imagesFolder: string;
let image: Stage;
/** Metadata of the image, by instruction. */
const instructions = new Map<string, string>();

/** Executes the Containerfile line by line. */
async function build(): Promise<Stage> {
  const isIgnored = await loadIgnoreRules();
  const filter = (path: string) => path === root || !isIgnored(relative(root, path));
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  const inStage = (text: string, { folder }: Stage) =>
    text.replace(homePath, folder).replaceAll("1000:1000", owner);
  const steps: Readonly<Record<string, (rest: string, now: Stage) => unknown>> = {
    async COPY(rest, now) {
      const [, from, paths] = /^(?:--from=(\S+) )?(.*)$/.exec(rest)!;
      const [target, ...sources] = paths!.split(" ").toReversed();
      for (const source of sources) {
        const path = from ? inStage(source, stages.get(from)!) : join(root, source);
        const isFile = (await stat(path)).isFile();
        const to = join(now.folder, target!, isFile && target!.endsWith("/") ? basename(path) : "");
        await cp(path, to, { recursive: true, verbatimSymlinks: true, ...(!from && { filter }) });
      }
    },
    RUN: (rest, now) =>
      promisify(execFile)("sh", ["-c", inStage(rest, now)], {
        cwd: now.folder,
        env: now.env,
        maxBuffer: 2 ** 26,
      }),
    ENV(rest, now) {
      const [, name, value] = /^(\w+)=(.*)$/.exec(rest)!;
      now.env[name!] = inStage(value!, now).replace("$PATH", machinePath);
    },
  };
  for (const line of await linesOf("Containerfile")) {
    const [, word, rest] = /^(\w+) (.*)$/.exec(line)!;
    if (word === "FROM") {
      const [, base, name = "image"] = /^(\S+)(?: AS (\S+))?$/.exec(rest!)!;
      stage = { folder: join(imagesFolder, name), env: { ...process.env, PATH: machinePath } };
      stages.set(name, stage);
      await mkdir(stage.folder);
      const before = stages.get(base!);
      if (before) await cp(before.folder, stage.folder, { recursive: true, verbatimSymlinks: true });
    } else if (steps[word!]) await steps[word!]!(rest!, stage!);
    else instructions.set(word!, rest!);
  }
  return stage!;
}

beforeAll(async () => {
  imagesFolder = await mkdtemp(join(tmpdir(), "fxdesk-image-"));
  // Another user must be able to enter it.
  await chmod(imagesFolder, 0o755);
  image = await build();
}, 600_000);
afterAll(() => rm(imagesFolder, { recursive: true, force: true }));

const command = (text: string): readonly string[] =>
  (JSON.parse(text) as string[]).map((word) => word.replace(homePath, image.folder));

test("declares a non-root user, a state folder and a port", () => {
  expect(instructions.get("USER")).toBe("1000:1000");
  expect(instructions.get("VOLUME")).toBe(`${home}/state`);
  expect(instructions.get("EXPOSE")).toBe("8080");
});

const exitCodeOf = async (child: ChildProcess) =>
  child.exitCode ?? ((await once(child, "exit")) as [number])[0];

/** Starts the image as its user. */
function start(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const options = { cwd: image.folder, env: { ...image.env, ...variables }, ...user };
  const [program] = command(instructions.get("ENTRYPOINT")!);
  const child = spawn(program!, args, options);
  runLater(() => void child.kill("SIGKILL"));
  const said = { text: "" };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (said.text += String(data)));
  const [check, ...rest] = command(/CMD (.*)$/.exec(instructions.get("HEALTHCHECK")!)![1]!);
  const isHealthy = async () =>
    (await exitCodeOf(spawn(check!, [...rest, String(child.pid)], options))) === 0;
  const untilHealthy = () =>
    eventually(isHealthy, { withinMs: 90_000, what: () => `${args.join(" ")} is healthy: ${said.text}` });
  return { child, options, program: program!, isHealthy, untilHealthy };
}

test("the sandbox is healthy on its port, stores e-mails in its state folder, and stops at a signal", async () => {
  const port = String(await freePort(0));
  const { child, options, program, isHealthy, untilHealthy } = start(["sandbox", "--port", port]);
  await untilHealthy();
  const response = await fetch(`http://127.0.0.1:${port}/statements/trades?client_id=client-demo`, {
    method: "POST",
    headers: { authorization: "Bearer demo-access-token", "content-type": "application/json" },
    body: JSON.stringify({ date_from: "2026-01" }),
  });
  expect(response.status).toBe(202);
  expect(await readdir(join(image.folder, "state/outbox"))).toHaveLength(1);
  const env = { ...image.env, FXDESK_BASE_URL: `http://127.0.0.1:${port}` };
  await promisify(execFile)(program, ["sandbox", "save", "state/kept.json"], { ...options, env });
  expect(await readFile(join(image.folder, "state/kept.json"), "utf8")).toContain("fxdesk_sandbox");
  expect((await fetch(`http://127.0.0.1:${port}/docs/explorer.js`)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await exitCodeOf(child)).toBe(0);
  expect(await isHealthy()).toBe(false);
}, 120_000);

test.each([
  ["mcp", ["--behind-proxy", "--address", "https://desk.example.com"]],
  ["releases", ["--behind-proxy", "--address", "https://desk.example.com"]],
  ["node-red", []],
])(
  "%s serves the real service as its user, and is healthy on its port",
  async (name, flags) => {
    const people = join(image.folder, "state/people.json");
    await writePeople(people, ["anna"]);
    if (user.uid) await chown(people, user.uid, user.gid!);
    const port = await freePort(0);
    const { child, untilHealthy } = start([name, `--port=${port}`, ...flags], {
      FXDESK_DOMAIN: "bank.example",
      FXDESK_CLIENT_ID: "client",
      FXDESK_MCP_TOKEN: "a-token-of-32-characters-or-more",
      FXDESK_PEOPLE: people,
    });
    await untilHealthy();
    if (name === "node-red") {
      const headers = { accept: "application/json" };
      const nodes = await (await fetch(`http://127.0.0.1:${port}/nodes`, { headers })).json();
      expect(nodes).toContainEqual(expect.objectContaining({ module: "@fxdesk/toolkit", enabled: true }));
    }
    child.kill("SIGTERM");
    await exitCodeOf(child);
  },
  120_000,
);
