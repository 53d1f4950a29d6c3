/** PDF documents: letterhead, fonts and page layout, and reports as tables. */
import { toAscii } from "@fxdesk/toolkit/formats";
import { buffer } from "node:stream/consumers";
import type { Bank } from "../world/banks/banks";
import type { Report, Row } from "./reports";

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
class PdfCanvas {
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

const gap = 6;
const rowPadding = 4;
const size = 8;

interface Cell {
  readonly index: number;
  readonly x: number;
  readonly title: string;
  readonly width: number;
  readonly right?: true;
  readonly format?: (text: string) => string;
}

function cellsOf({ columns }: Report): Cell[] {
  let x: number = page.left;
  return columns.flatMap(({ print }, index) => {
    if (!print) return [];
    const cell = { ...print, index, x };
    x += print.width + gap;
    return [cell];
  });
}

/** Prints one report from the top down. */
class ReportPrinter {
  #y: number = page.top;
  readonly #cells: readonly Cell[];

  constructor(
    private readonly canvas: PdfCanvas,
    private readonly report: Report,
  ) {
    this.#cells = cellsOf(report);
  }

  print(): void {
    const { rows, above, below } = this.report;
    this.#printAddress();
    this.#printTableHead();
    for (const row of above) this.#printRow(row, fonts.bold);
    for (const row of rows) this.#printRow(row, fonts.plain);
    for (const row of below) this.#printRow(row, fonts.bold);
  }

  /** Prints the account holder on the left and the facts on the right. */
  #printAddress(): void {
    const { holder, facts } = this.report;
    const top = page.top + 72;
    const [names, values] = [page.left + 280, page.left + 365];
    this.canvas
      .setStyle(fonts.bold, 10, ink.text)
      .text(toPrintable(holder.name), page.left, top, { width: 240 });
    this.canvas
      .setStyle(fonts.plain, 9, ink.text)
      .text(toPrintable(holder.address.split(", ").join("\n")), page.left, top + 14, {
        width: 240,
        lineGap: 2,
      });
    facts.forEach(([name, value], line) => {
      const y = top + 14 * line;
      this.canvas.setStyle(fonts.plain, 8, ink.quiet).text(name, names, y + 1);
      this.canvas.setStyle(fonts.plain, 9, ink.text).text(value, values, y, { width: page.right - values });
    });
    this.#y = top + Math.max(60, 14 * facts.length) + 18;
  }

  #printTableHead(): void {
    this.canvas.setStyle(fonts.bold, size, ink.brand);
    for (const cell of this.#cells) this.#printText(cell.title, cell);
    this.#y += 13;
    this.canvas.drawLine(this.#y, ink.brand, 1);
    this.#y += rowPadding;
  }

  #printText(text: string, { x, width: maxWidth, right }: Cell): void {
    this.canvas.document.text(text, x, this.#y, { width: maxWidth, align: right ? "right" : "left" });
  }

  /** Shrinks amounts that are too wide. An amount broken over two lines would read as two amounts. */
  #fitStyle(font: string, text: string, { width: maxWidth, right }: Cell): void {
    const textWidth = this.canvas.setStyle(font, size, ink.text).widthOfString(text);
    if (right && textWidth > maxWidth)
      this.canvas.setStyle(font, (size * maxWidth) / (textWidth + 1), ink.text);
  }

  /** Prints a row, on a new page if it does not fit. */
  #printRow(values: Row, font: string): void {
    const texts = this.#cells.map((cell) => {
      const value = values[cell.index]!;
      return [cell, toPrintable(cell.format?.(value) ?? value)] as const;
    });
    const heights = texts.map(([cell, text]) => {
      this.#fitStyle(font, text, cell);
      return this.canvas.document.heightOfString(text, { width: cell.width });
    });
    const height = Math.max(...heights);
    if (this.#y + height > page.bottom) this.#startPage();
    for (const [cell, text] of texts) {
      this.#fitStyle(font, text, cell);
      this.#printText(text, cell);
    }
    this.#y += height + rowPadding;
    this.canvas.drawLine(this.#y, ink.line, 0.5);
    this.#y += rowPadding;
  }

  #startPage(): void {
    this.canvas.document.addPage();
    const { bank, title, holder, facts } = this.report;
    const summary = [title, toPrintable(holder.name), facts[0]![1]].join("  ·  ");
    this.canvas.setStyle(fonts.bold, 9, ink.brand).text(bank.name, page.left, page.top);
    this.canvas
      .setStyle(fonts.plain, 8, ink.quiet)
      .text(summary, page.left, page.top + 1, { width, align: "right" });
    this.canvas.drawLine(page.top + 15, ink.brand, 1.5);
    this.#y = page.top + 30;
    this.#printTableHead();
  }
}

export const reportPdf = (report: Report): Promise<Buffer> =>
  drawPdf(report, (canvas) => new ReportPrinter(canvas, report).print());
