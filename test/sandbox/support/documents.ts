/** Parses documents independently of the libraries that wrote them. */
import { inflateSync } from "node:zlib";
import { strFromU8, unzipSync } from "fflate";

const partOf = (bytes: Buffer, name: string) => strFromU8(unzipSync(bytes)[name]!);

export interface SheetCell {
  readonly value: string;
  /** Number and date formats. */
  readonly format: string | undefined;
}

/** Returns the cells of the first sheet by row and column letter, and its XML. */
export function readXlsx(bytes: Buffer): { rows: Record<string, SheetCell>[]; xml: string } {
  const xml = partOf(bytes, "xl/worksheets/sheet1.xml");
  const styles = partOf(bytes, "xl/styles.xml");
  const texts = [...partOf(bytes, "xl/sharedStrings.xml").matchAll(/<si><t[^>]*>(.*?)<\/t><\/si>/gs)].map(
    ([, text]) => text!,
  );
  const formats = new Map(
    [...styles.matchAll(/numFmtId="(\d+)" formatCode="([^"]*)"/g)].map(([, id, code]) => [id!, code!]),
  );
  const styleFormats = [...styles.slice(styles.indexOf("<cellXfs")).matchAll(/<xf ([^>]*)>/g)].map(
    ([, attributes]) => formats.get(/numFmtId="(\d+)"/.exec(attributes!)?.[1] ?? ""),
  );
  const cell = (attributes: string, value: string): SheetCell => ({
    value: attributes.includes('t="s"') ? texts[Number(value)]! : value,
    format: styleFormats[Number(/\bs="(\d+)"/.exec(attributes)?.[1] ?? 0)],
  });
  const rows = [...xml.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, content]) =>
    Object.fromEntries(
      [...content!.matchAll(/<c r="([A-Z]+)\d+"([^>]*)><v>(.*?)<\/v><\/c>/gs)].map(
        ([, column, attributes, value]) => [column!, cell(attributes!, value!)],
      ),
    ),
  );
  return { rows, xml };
}

/** Returns the texts of each PDF page in drawing order. */
export function readPdf(bytes: Buffer): string[][] {
  const source = bytes.toString("latin1");
  return [...source.matchAll(/\/Filter \/FlateDecode\n>>\nstream\n(.*?)\nendstream/gs)]
    .map(([, stream]) => inflateSync(Buffer.from(stream!, "latin1")).toString("latin1"))
    .filter((content) => content.includes(" Tf"))
    .map((content) =>
      [...content.matchAll(/\[(.*?)\] TJ/g)].map(([, shown]) =>
        [...shown!.matchAll(/<([0-9a-f]*)>/g)]
          .map(([, hex]) => Buffer.from(hex!, "hex").toString("latin1"))
          .join(""),
      ),
    );
}

export interface MimePart {
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

function headersOf(block: string): Record<string, string> {
  const lines = block.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
}

function split(text: string): [headers: Record<string, string>, body: string] {
  const end = text.indexOf("\r\n\r\n");
  return [headersOf(text.slice(0, end)), text.slice(end + 4)];
}

/** Parses a multipart e-mail into headers and decoded parts. */
export function readMail(message: Buffer): { headers: Record<string, string>; parts: MimePart[] } {
  const [headers, body] = split(message.toString("latin1"));
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"]!)![1]!;
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`);
  if (pieces.at(-1)!.trim() !== "--") throw new Error("The last boundary is not closed.");
  const parts = pieces.slice(1, -1).map((piece): MimePart => {
    const [own, content] = split(piece.slice(2));
    const encoding = own["content-transfer-encoding"] === "base64" ? "base64" : "latin1";
    return { headers: own, content: Buffer.from(content, encoding) };
  });
  return { headers, parts };
}
