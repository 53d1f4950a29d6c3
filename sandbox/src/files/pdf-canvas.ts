/** Page layout, letterhead and fonts of all PDF documents. */
import { toAscii } from "@fxdesk/toolkit/formats";
import { buffer } from "node:stream/consumers";
import type { Bank } from "../world/banks/banks";

/** Points on an A4 page. */
export const page = { left: 40, right: 555, top: 40, bottom: 770 } as const;
export const width = page.right - page.left;

export const ink = { text: "#1c2733", quiet: "#5f6b78", brand: "#12406b", line: "#d5dbe1" } as const;
export const fonts = { plain: "Helvetica", bold: "Helvetica-Bold" } as const;

/** Loaded on first use, because loading takes about 100 ms. */
const loadPdf = async () => (await import("pdfkit")).default;

type PdfDocument = InstanceType<Awaited<ReturnType<typeof loadPdf>>>;

const unprintableCharacters = /[^\n\x20-\x7e\u00a0-\u00ff\u2013\u2014\u2018-\u201d\u2026\u20ac]/gu;

const transliterate = (letter: string) => (/\s/.test(letter) ? " " : toAscii(letter).replaceAll(".", "?"));

/**
 * Transliterates characters outside the standard PDF fonts, which cover Western Europe. Others become question marks.
 */
export const toPrintable = (text: string): string =>
  text.normalize("NFC").replace(unprintableCharacters, transliterate);

interface Heading {
  readonly bank: Bank;
  readonly title: string;
  readonly writtenAt: Date;
}

/** PDF document under construction. */
export class PdfCanvas {
  constructor(
    readonly document: PdfDocument,
    private readonly heading: Heading,
  ) {}

  setStyle(font: string, size: number, color: string): PdfDocument {
    return this.document.font(font).fontSize(size).fillColor(color);
  }

  drawLine(y: number, color: string, thickness: number): void {
    this.document.moveTo(page.left, y).lineTo(page.right, y).lineWidth(thickness).strokeColor(color).stroke();
  }

  drawLetterhead(): void {
    const { bank, title, writtenAt } = this.heading;
    const right = { width, align: "right" } as const;
    this.setStyle(fonts.bold, 16, ink.brand).text(bank.name, page.left, page.top);
    this.setStyle(fonts.plain, 8, ink.quiet)
      .text(`${bank.street}, ${bank.postCode} ${bank.city}`, page.left, page.top + 21)
      .text(`BIC ${bank.bic}`, page.left, page.top + 32);
    this.setStyle(fonts.bold, 13, ink.text).text(toPrintable(title), page.left, page.top + 2, right);
    this.setStyle(fonts.plain, 8, ink.quiet).text(
      `Issued on ${writtenAt.toISOString().slice(0, 10)}`,
      page.left,
      page.top + 21,
      right,
    );
    this.drawLine(page.top + 48, ink.brand, 1.5);
  }

  drawFooters(): void {
    const { count } = this.document.bufferedPageRange();
    const y = page.bottom + 16;
    for (let index = 0; index < count; index += 1) {
      this.document.switchToPage(index);
      const isLast = index === count - 1;
      this.setStyle(fonts.plain, 7, ink.quiet)
        .text("Sandbox document: no real bank, no real money.", page.left, y, { lineBreak: false })
        .text(isLast ? "" : "Continued on the next page", page.left, y, { width, align: "center" })
        .text(`Page ${index + 1} of ${count}`, page.left, y, { width, align: "right" });
    }
  }
}

/** Draws a document with letterhead, content and footers. Equal content yields equal bytes. */
export async function drawPdf(heading: Heading, drawContent: (canvas: PdfCanvas) => void): Promise<Buffer> {
  const Document = await loadPdf();
  const document = new Document({
    size: "A4",
    margins: { left: page.left, right: page.left, top: page.top, bottom: 0 },
    bufferPages: true,
    info: {
      Title: toPrintable(heading.title),
      Author: heading.bank.name,
      CreationDate: heading.writtenAt,
      Producer: "fxdesk sandbox",
      Creator: "fxdesk sandbox",
    },
  });
  const written = buffer(document);
  const canvas = new PdfCanvas(document, heading);
  canvas.drawLetterhead();
  drawContent(canvas);
  canvas.drawFooters();
  document.end();
  return written;
}
