/** Import rules between folders. Type imports count, because circular types are as hard to read. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";

const root = join(__dirname, "..");
const houses = ["core", "nodes", "mcp", "cli", "build", "bench", "demo", "evals", "sandbox/src"];

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

/** Returns the folder of a file. */
const folderOf = (file: string): string => posix.dirname(file);

/** Folders that each folder imports, type imports included. */
const folderImports = new Map<string, Set<string>>();
for (const [file, imported] of imports) {
  const folder = folderOf(file);
  const others = folderImports.get(folder) ?? new Set();
  folderImports.set(folder, others);
  for (const other of imported) if (folderOf(other) !== folder) others.add(folderOf(other));
}

/** Returns a way from a folder through other folders back to itself; undefined if there is none. */
function findFolderCycle(start: string): string[] | undefined {
  const waiting = [[start]];
  const seen = new Set<string>();
  for (const way of waiting)
    for (const next of folderImports.get(way.at(-1)!) ?? []) {
      if (next === start) return [...way, start];
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push([...way, next]);
    }
  return undefined;
}

test("no folder imports itself through other folders", () => {
  expect([...folderImports.keys()].flatMap((folder) => findFolderCycle(folder)?.join(" -> ") ?? [])).toEqual(
    [],
  );
});

/**
 * Layers from the surfaces to the basics. A folder imports only folders below it, so an inner layer never calls back into an
 * outer one. A new folder needs a place here.
 */
const layers = [
  ["build", "bench", "demo", "evals"],
  ["cli"],
  ["nodes"],
  ["mcp"],
  ["core"],
  ["core/client"],
  ["core/monitoring"],
  ["core/mail"],
  ["core/watches"],
  ["core/procedures"],
  ["core/api"],
  ["core/orders"],
  ["core/releases"],
  ["core/journal"],
  ["core/call"],
  ["core/http"],
  ["core/people"],
  ["core/store"],
  ["core/openapi", "core/contract"],
  ["core/spec", "core/files"],
  ["core/calendars"],
  ["core/values"],
  ["sandbox/src"],
  ["sandbox/src/dashboard"],
  ["sandbox/src/control"],
  ["sandbox/src/extensions", "sandbox/src/behaviours"],
  ["sandbox/src/open-banking"],
  ["sandbox/src/files", "sandbox/src/pages", "sandbox/src/server"],
  ["sandbox/src/session"],
  ["sandbox/src/calls"],
  ["sandbox/src/http"],
  ["sandbox/src/world"],
];

/** Returns the layer of a file: the one that names the longest part of its path. */
function layerOf(file: string): number {
  const named = layers.flatMap((names, index) =>
    names.filter((name) => file.startsWith(`${name}/`)).map((name) => ({ index, length: name.length })),
  );
  return named.toSorted((one, other) => other.length - one.length)[0]!.index;
}

test("imports point down the layers", () => {
  const upward = [...imports].flatMap(([file, imported]) =>
    imported.filter((other) => layerOf(other) < layerOf(file)).map((other) => `${file} -> ${other}`),
  );
  expect(upward).toEqual([]);
});
