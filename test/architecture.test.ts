/** Import rules between folders. Type imports count, because circular types are as hard to read. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const root = join(__dirname, "..");
const houses = ["core", "nodes", "mcp", "cli", "build", "bench", "demo", "sandbox/src"];

const files = houses.flatMap((house) =>
  readdirSync(join(root, house), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => posix.join(house, file.replaceAll("\\", "/"))),
);
const known = new Set(files);

/** Resolves a relative import to a file. */
function resolved(from: string, path: string): string | undefined {
  const base = posix.join(posix.dirname(from), path).replace(/\.js$/, "");
  return [`${base}.ts`, `${base}/index.ts`].find((file) => known.has(file));
}

const statements = /^(?:import|export)\b[^;]*?from\s+"(\.[^"]+)"|\bimport\("(\.[^"]+)"\)/gm;

function importsOf(file: string): string[] {
  const found = readFileSync(join(root, file), "utf8").matchAll(statements);
  return [...found].flatMap(([, early, late]) => resolved(file, (early ?? late)!) ?? []);
}

const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** Libraries and parts of the platform that speak HTTP: the sandbox's domain knows none of them. */
const http = /from "(?:node:)?(?:https?|http2|net|fastify|negotiator|undici)"/;

test("the sandbox's domain knows no HTTP", () => {
  const readers = (some: readonly string[]) =>
    some.filter((file) => http.test(readFileSync(join(root, file), "utf8")));
  expect(readers(files.filter((file) => file.startsWith("sandbox/src/world/")))).toEqual([]);
  expect(readers(["sandbox/src/server/server.ts"])).toEqual(["sandbox/src/server/server.ts"]);
});

/** Returns the import cycle of a file, starting with it; undefined if there is none. */
function findCycle(start: string): string[] | undefined {
  const from = new Map<string, string>();
  const waiting = [start];
  for (const file of waiting)
    for (const next of imports.get(file)!) {
      if (next === start) {
        const cycle = [start];
        for (let at = file; at !== start; at = from.get(at)!) cycle.splice(1, 0, at);
        return cycle;
      }
      if (from.has(next)) continue;
      from.set(next, file);
      waiting.push(next);
    }
  return undefined;
}

test("finds imports", () => {
  expect(importsOf("core/index.ts")).toContain("core/spec/errors.ts");
  expect(importsOf("core/contract/all.ts")).toContain("core/contract/trades.ts");
  expect(importsOf("sandbox/src/server/pipeline.ts")).toContain("sandbox/src/http/http-error.ts");
});

test("has no circular imports", () => {
  expect(files.flatMap((file) => findCycle(file)?.join(" -> ") ?? [])).toEqual([]);
});

/** Folders that each folder of core, and the sandbox's domain, may import besides itself. */
const folders: Readonly<Record<string, readonly string[]>> = {
  "core/values/": [],
  "core/files/": ["core/values/"],
  "core/spec/": ["core/values/"],
  "core/contract/": ["core/spec/", "core/values/"],
  "sandbox/src/world/": [],
};

test.each(Object.entries(folders))("%s imports only %j", (folder, allowed) => {
  const members = files.filter((file) => file.startsWith(folder));
  expect(members).not.toEqual([]);
  const others = members.flatMap((file) =>
    imports
      .get(file)!
      .filter((other) => ![folder, ...allowed].some((each) => other.startsWith(each)))
      .map((other) => `${file} -> ${other}`),
  );
  expect(others).toEqual([]);
});
