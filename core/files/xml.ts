/** Reads XML as a stream of small trees. Refuses document types, and with them all entities that a file declares. */
import { SaxesParser } from "saxes";
import { FormatError, type Format, type Position, quoteValue } from "./format-error";
import { maxFieldLength, maxPartLength, type TextSource, tooLongError } from "./text-lines";

/** An element. Names have no prefix: bank files differ in prefixes, but not in the meaning of a name at its place. */
export interface XmlElement {
  readonly name: string;
  readonly line: number;
  readonly attributes: Readonly<Record<string, string>>;
  children: readonly XmlElement[];
  text: string;
}

/** Shared by the many elements without children. */
const noChildren: readonly XmlElement[] = [];

export interface XmlHandlers {
  readonly format: Format;
  /** Called with each element that ends. Returns false to leave it out of its parent, so that memory use stays constant. */
  readonly close: (element: XmlElement, parent: XmlElement, grandparent: XmlElement | undefined) => boolean;
}

const maxDepth = 60;
const chunkLength = 65_536;

/** Extensions of the bank's own, which are not read. */
const ignoredElement = "SplmtryData";

const maxKnownNames = 1000;

/** Returns a function that drops prefixes. Equal names are one string, which makes comparing them fast. */
function createLocalNames(): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const local = name.slice(name.indexOf(":") + 1);
    if (known.size < maxKnownNames) known.set(name, local);
    return local;
  };
}

/**
 * Parses text and calls `close` for each element; yields after each piece of text. Throws a FormatError for malformed XML,
 * after all calls for the part before the fault. Blank text has no elements.
 */
export async function* parseXml(source: TextSource, { format, close }: XmlHandlers): AsyncGenerator<void> {
  const parser = new SaxesParser();
  const open: XmlElement[] = [{ name: "", line: 1, attributes: {}, children: noChildren, text: "" }];
  const localName = createLocalNames();
  let ignoredDepth = 0;
  let lastTag = 0;
  let lastPart = 0;
  const position = (): Position => ({ format, field: open.at(-1)!.name || "XML", line: parser.line });
  const refuse = (message: string): never => {
    throw new FormatError("invalid", position(), message);
  };
  const addText = (text: string) => {
    const current = open[open.length - 1]!;
    if (current.children === noChildren) current.text += text;
  };
  parser.on("error", ({ message }) => refuse(`malformed XML: ${message.replace(/^\d+:\d+: /, "")}`));
  parser.on("doctype", () => refuse("document types are refused"));
  parser.on("opentag", ({ name, attributes }) => {
    lastTag = parser.position;
    const local = localName(name);
    if (ignoredDepth > 0 || local === ignoredElement) ignoredDepth += 1;
    else open.push({ name: local, line: parser.line, attributes, children: noChildren, text: "" });
    if (open.length + ignoredDepth > maxDepth) refuse(`elements are nested deeper than ${maxDepth}`);
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    lastTag = parser.position;
    if (ignoredDepth > 0) {
      ignoredDepth -= 1;
      return;
    }
    const element = open.pop()!;
    const parent = open.at(-1)!;
    if (!close(element, parent, open.at(-2))) lastPart = parser.position;
    else if (parent.children === noChildren) parent.children = [element];
    else (parent.children as XmlElement[]).push(element);
  });
  let isBlank = true;
  for await (const given of typeof source === "string" ? [source] : source) {
    const piece: string = isBlank ? given.trimStart() : given;
    isBlank &&= piece === "";
    for (let at = 0; at < piece.length; at += chunkLength) {
      parser.write(piece.slice(at, at + chunkLength));
      if (parser.position - lastTag > maxFieldLength)
        throw tooLongError("text between tags", maxFieldLength, position());
      if (parser.position - lastPart > maxPartLength)
        throw tooLongError("an entry, or the part around the entries,", maxPartLength, position());
      yield;
    }
  }
  if (!isBlank) parser.close();
}

/** Returns the children with a name. */
export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  if (!element) return noChildren;
  let found: XmlElement[] | undefined;
  for (const child of element.children) if (child.name === name) (found ??= []).push(child);
  return found ?? noChildren;
}

/** Returns the first element at a path; undefined if there is none. */
export function childOf(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  let found = element;
  for (let at = 0; at < path.length && found; at += 1) found = firstChild(found, path[at]!);
  return found;
}

function firstChild({ children }: XmlElement, name: string): XmlElement | undefined {
  for (const child of children) if (child.name === name) return child;
  return undefined;
}

/** Returns the trimmed text at a path; undefined if it is missing or blank. */
export const textOf = (element: XmlElement | undefined, ...path: readonly string[]): string | undefined =>
  childOf(element, ...path)?.text.trim() || undefined;

export const elementPosition = (format: Format, element: XmlElement, child?: string): Position => ({
  format,
  field: child === undefined ? element.name : `${element.name}/${child}`,
  line: (child === undefined ? undefined : childOf(element, child)?.line) ?? element.line,
});

/** Returns the only child with a name. Throws a FormatError if there is none, or several, of which one must be wrong. */
export function onlyChild(format: Format, element: XmlElement, name: string): XmlElement {
  const [first, second] = childrenOf(element, name);
  if (first && !second) return first;
  throw new FormatError(
    first ? "invalid" : "missing",
    elementPosition(format, element, name),
    first ? `found twice: ${quoteValue(first.text)} and ${quoteValue(second!.text)}` : "missing",
  );
}
