/** Reads worlds from YAML files and reports errors with line and field. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Document, LineCounter } from "yaml";
import { z } from "zod";
import { WorldDescription } from "./world-description";

/** Loaded on first use, because a restored world does not need it. */
const loadYaml = () => require("yaml") as typeof import("yaml");

/** Error of an invalid world file. The message names the file, and line and field of each violation. */
export class WorldFileError extends RangeError {}

/** Names of the included worlds. */
export const includedWorlds = ["exporter", "group", "empty"] as const;

export const worldsFolder = join(__dirname, "../../../worlds");

/** Returns the path of an included world or of a custom file. */
const resolveWorldPath = (name: string): string =>
  (includedWorlds as readonly string[]).includes(name) ? join(worldsFolder, `${name}.yaml`) : name;

/** Returns the JSON Schema of world files, for editors. */
export const worldSchema = (): object => z.toJSONSchema(WorldDescription, { io: "input" });

type Path = readonly (string | number)[];

/** A violation in a description: its path, and what is required. */
interface Violation {
  readonly path: Path;
  readonly message: string;
}

/** Formats a path as in code: companies[0].accounts[1].currency. */
const formatPath = (path: Path): string =>
  path
    .map((step, index) => (typeof step === "number" ? `[${step}]` : index > 0 ? `.${step}` : step))
    .join("");

/** Returns the line of a field, or of its parent if the field is missing. */
function lineOf(document: Document.Parsed, lines: LineCounter, path: Path): number {
  const { isMap, isPair, isScalar } = loadYaml();
  for (let length = path.length; length >= 0; length -= 1) {
    const parent: unknown = document.getIn(path.slice(0, Math.max(length - 1, 0)), true);
    const key = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key)
      : undefined;
    const node: unknown = pair?.key ?? document.getIn(path.slice(0, length), true);
    const range = (node as { range?: readonly number[] } | undefined)?.range;
    if (range) return lines.linePos(range[0]!).line;
  }
  return 1;
}

/** Converts a schema issue to violations, with one violation per unknown key. */
function violationsOf(issue: z.core.$ZodIssue, at: Path = []): Violation[] {
  const path = [...at, ...(issue.path as Path)];
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((key) => ({ path: [...path, key], message: "is unknown" }));
  if (issue.code === "invalid_union" && issue.errors.length === 1)
    return issue.errors[0]!.flatMap((inner) => violationsOf(inner, path));
  if (issue.code === "invalid_key") return [{ path, message: issue.issues[0]!.message }];
  if (issue.code === "invalid_type" && issue.input === undefined) return [{ path, message: "is missing" }];
  const message = issue.message
    .replace(/^Invalid input: expected /, "must be ")
    .replace(/^Invalid option: /, "");
  return [
    { path, message: /^(must|is|has|needs|cannot)\b/.test(message) ? message : `is invalid: ${message}` },
  ];
}

/** Parses the text of a world file. Throws a WorldFileError. */
export function parseWorld(text: string, file: string): WorldDescription {
  const { LineCounter: Counter, parseDocument } = loadYaml();
  const lines = new Counter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken)
    throw new WorldFileError(
      `${file}, line ${broken.linePos?.[0].line ?? 1}: ${broken.message.split("\n")[0]}`,
    );
  const { data, error } = WorldDescription.safeParse(document.toJS(), { reportInput: true });
  if (data) return data;
  const lineWithPath = ({ path, message }: Violation) =>
    `${file}, line ${lineOf(document, lines, path)}: ${formatPath(path)} ${message}.`;
  throw new WorldFileError(
    error.issues
      .flatMap((issue) => violationsOf(issue))
      .map(lineWithPath)
      .join("\n"),
  );
}

/** Reads an included world by name, or a world file by path. Throws a WorldFileError. */
export function readWorld(name: string): WorldDescription {
  const path = resolveWorldPath(name);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const names = includedWorlds.join(", ");
    throw new WorldFileError(
      `${name} cannot be read (${(error as Error).message}). Included worlds: ${names}.`,
    );
  }
  return parseWorld(text, name);
}
