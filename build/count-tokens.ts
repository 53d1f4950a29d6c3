/**
 * Prints the size of a checkout: files, lines and tokens of TypeScript by folder. Comments and blank lines do not count.
 * The argument is the folder of the checkout, by default the current one.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import jsTokens from "js-tokens";

const productFolders = ["core", "sandbox/src", "nodes", "cli", "mcp", "build", "bench", "demo", "evals"];
const testFolders = ["test"];

const ignoredFolders = new Set(["node_modules", "dist", "recordings"]);

const ignoredTokens = new Set([
  "WhiteSpace",
  "LineTerminatorSequence",
  "SingleLineComment",
  "MultiLineComment",
]);

interface Size {
  readonly files: number;
  readonly lines: number;
  readonly tokens: number;
}

const sum = (sizes: readonly Size[]): Size => ({
  files: sizes.reduce((total, { files }) => total + files, 0),
  lines: sizes.reduce((total, { lines }) => total + lines, 0),
  tokens: sizes.reduce((total, { tokens }) => total + tokens, 0),
});

/** Counts the lines that contain a token, or a part of one. */
function sizeOfFile(path: string): Size {
  const lines = new Set<number>();
  let [tokens, line] = [0, 0];
  for (const { type, value } of jsTokens(readFileSync(path, "utf8"))) {
    const isCounted = !ignoredTokens.has(type);
    if (isCounted) tokens += 1;
    for (const [index] of value.split("\n").entries()) {
      if (index > 0) line += 1;
      if (isCounted) lines.add(line);
    }
  }
  return { files: 1, lines: lines.size, tokens };
}

function sizeOfFolder(folder: string): Size {
  if (!existsSync(folder)) return sum([]);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.split(sep).some((part) => ignoredFolders.has(part)),
  );
  return sum(paths.map((path) => sizeOfFile(join(folder, path))));
}

function main(root: string): void {
  const sizesOf = (folders: readonly string[]) =>
    folders.map((folder) => [folder, sizeOfFolder(join(root, folder))] as const);
  const [product, tests] = [sizesOf(productFolders), sizesOf(testFolders)];
  const total = (sizes: typeof product) => sum(sizes.map(([, size]) => size));
  console.table(
    Object.fromEntries([...product, ["product", total(product)] as const, ["tests", total(tests)] as const]),
  );
}

main(process.argv[2] ?? ".");
