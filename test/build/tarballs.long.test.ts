/** The tarballs of both packages: the same from builds in different folders, and usable by a user other than root. */
import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "../support/eventually";
import { runLater, tempFolder } from "../support/resources";

const run = promisify(execFile);
const root = join(__dirname, "../..");

/** Packs both packages from a copy of the checkout: as it is built, or built again. Returns the tarballs. */
async function packIn(parent: string, isBuiltAgain: boolean): Promise<string[]> {
  const copy = join(parent, "checkout");
  const skipped = new Set([
    "node_modules",
    ".git",
    ".fxdesk",
    "site",
    "test",
    ...(isBuiltAgain ? ["dist"] : []),
  ]);
  await cp(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) });
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  if (isBuiltAgain) await run("npm", ["run", "-s", "build"], { cwd: copy });
  const options = ["pack", "--json", "--ignore-scripts", "--workspaces", "--pack-destination", parent];
  const { stdout } = await run("npm", options, { cwd: copy, maxBuffer: 2 ** 24 });
  return (JSON.parse(stdout) as { filename: string }[]).map(({ filename }) => join(parent, filename));
}

const hashOf = async (path: string) => [
  basename(path),
  createHash("sha512")
    .update(await readFile(path))
    .digest("hex"),
];

/** The user who runs the commands; the own one if the tests may not switch users. */
const user = process.getuid!() === 0 ? { uid: 1000, gid: 1000 } : {};

let tarballs: string[];
let other: string[];
beforeAll(async () => {
  const folder = join(await tempFolder(), "a folder", "ü");
  await mkdir(folder, { recursive: true });
  other = await packIn(folder, true);
  tarballs = await packIn(await tempFolder(), false);
}, 600_000);

test("two builds in two folders give the same tarballs", async () => {
  expect(tarballs).toHaveLength(2);
  expect(await Promise.all(tarballs.map(hashOf))).toEqual(await Promise.all(other.map(hashOf)));
});

test("their commands run as a user other than root", async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, "package.json"), "{}");
  await run("npm", ["install", "--ignore-scripts", "--no-audit", ...tarballs], { cwd: folder });
  const state = join(folder, "state");
  await mkdir(state);
  for (const path of [folder, state]) await chmod(path, 0o777);
  const env = { PATH: process.env.PATH, HOME: state };
  const [options, fxdesk] = [{ cwd: state, env, ...user }, join(folder, "node_modules/.bin/fxdesk")];
  const sandbox = spawn(fxdesk, ["sandbox", "--port", "0"], options);
  runLater(() => sandbox.kill());
  let told = "";
  for (const stream of [sandbox.stdout, sandbox.stderr]) stream.on("data", (data) => (told += String(data)));
  await eventually(() => told.includes("Press Ctrl-C"), {
    withinMs: 60_000,
    what: () => `the sandbox, which said ${told}`,
  });
  const variables = [...told.matchAll(/^(FXDESK_\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const withVariables = { ...options, env: { ...env, ...Object.fromEntries(variables) } };
  const { stdout } = await run(fxdesk, ["whoami", "--json"], withVariables);
  expect(JSON.parse(stdout)).toMatchObject({ authorised: true });
  expect(JSON.parse((await run(fxdesk, ["store", "check", "--json"], withVariables)).stdout)).toBeDefined();
}, 180_000);
