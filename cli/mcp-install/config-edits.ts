/** Changes of the configuration files of MCP hosts, which keep the rest of the file as it is. Bundled with its parsers. */
import { applyEdits, modify, parse as parseJsonc, type ParseError, printParseErrorCode } from "jsonc-parser";
import { parse as parseToml, stringify as stringifyToml } from "smol-toml";

/** A server as a host starts it. */
export interface ServerEntry {
  readonly type?: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface EntryLocation {
  readonly format: "json" | "toml";
  /** Key of the table of servers. */
  readonly servers: string;
  readonly name: string;
}

/** Reason why a file cannot be changed, as the end of a sentence. */
export class UnchangeableFile extends Error {}

type Table = Readonly<Record<string, unknown>>;

const lineEndOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");

/** Sets an entry, or removes it. Returns the text unchanged if there is nothing to do. */
export function changeEntry(text: string, location: EntryLocation, entry: ServerEntry | undefined): string {
  const change = location.format === "json" ? changeJson : changeToml;
  const changed = change(text, location, entry);
  assertOnlyEntryDiffers(text, changed, location, entry);
  return changed;
}

/** Returns the entry of a file; undefined if there is none. */
export const readEntry = (text: string, { format, servers, name }: EntryLocation): unknown =>
  ((parseFile(text, format)[servers] ?? {}) as Table)[name];

function parseFile(text: string, format: EntryLocation["format"]): Table {
  if (format === "toml") {
    try {
      return parseToml(text);
    } catch (error) {
      throw new UnchangeableFile(`it is no valid TOML: ${(error as Error).message.split("\n")[0]}`);
    }
  }
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  const content: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
  if (errors[0])
    throw new UnchangeableFile(
      `it is no valid JSON: ${printParseErrorCode(errors[0].error)} at character ${errors[0].offset + 1}`,
    );
  if (typeof content !== "object" || content === null || Array.isArray(content))
    throw new UnchangeableFile("it contains no object");
  return content as Table;
}

function changeJson(text: string, { servers, name }: EntryLocation, entry: ServerEntry | undefined): string {
  parseFile(text, "json");
  const indent = /^[ \t]+(?=["/])/m.exec(text)?.[0] ?? "  ";
  const formattingOptions = {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 1 : indent.length,
    eol: lineEndOf(text),
  };
  if (text.trim() === "" && entry === undefined) return text;
  const source = text.trim() === "" ? "{}\n" : text;
  return applyEdits(source, modify(source, [servers, name], entry, { formattingOptions }));
}

/** Changes the tables of the entry, which end at the next header, or are added at the end. */
function changeToml(text: string, { servers, name }: EntryLocation, entry: ServerEntry | undefined): string {
  const eol = lineEndOf(text);
  const block =
    entry &&
    `${stringifyToml({ [servers]: { [name]: entry } })
      .trim()
      .replaceAll("\n", eol)}${eol}`;
  const key = String.raw`(?:${name}|"${name}"|'${name}')`;
  const header = new RegExp(
    String.raw`^[ \t]*\[[ \t]*${servers}[ \t]*\.[ \t]*${key}[ \t]*(?:\.[^\]\r\n]*)?\]`,
  );
  const lines = text.split(/(?<=\n)/);
  const kept: string[] = [];
  let isInside = false;
  let position: number | undefined;
  for (const line of lines) {
    if (/^[ \t]*\[/.test(line)) isInside = header.test(line);
    if (!isInside) kept.push(line);
    else position ??= kept.length;
  }
  if (block === undefined) {
    // Also the empty line that separated the tables from those before.
    if (position === kept.length && kept.at(-1)?.trim() === "") kept.pop();
    return kept.join("");
  }
  if (position !== undefined) {
    const isLast = position === kept.length;
    return [...kept.slice(0, position), block, ...(isLast ? [] : [eol]), ...kept.slice(position)].join("");
  }
  const before = text === "" || text.endsWith("\n") ? text : text + eol;
  return before + (before === "" ? "" : eol) + block;
}

/** Throws if the change would touch anything but the entry, for example in a file that declares it in another way. */
function assertOnlyEntryDiffers(
  text: string,
  changed: string,
  { format, servers, name }: EntryLocation,
  entry: ServerEntry | undefined,
): void {
  const rest = (content: Table) => {
    const { [name]: _, ...others } = (content[servers] ?? {}) as Table;
    return JSON.stringify({ ...content, [servers]: others });
  };
  const [before, after] = [parseFile(text, format), parseFile(changed, format)];
  const found = readEntry(changed, { format, servers, name });
  if (JSON.stringify(found) !== JSON.stringify(entry) || rest(before) !== rest(after))
    throw new UnchangeableFile(`its table ${servers} has another form than fxdesk can change`);
}
