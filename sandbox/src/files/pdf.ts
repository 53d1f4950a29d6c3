/** Reports to read and print. */
import { buffer } from "node:stream/consumers";
import type { Report, Row } from "./report";

/** Points on an A4 page. */
const page = { left: 40, right: 555, top: 40, bottom: 770 } as const;
const width = page.right - page.left;
const gap = 6;
const rowPadding = 4;

const ink = { text: "#1c2733", quiet: "#5f6b78", brand: "#12406b", line: "#d5dbe1" } as const;
const fonts = { plain: "Helvetica", bold: "Helvetica-Bold" } as const;

/** The library takes a tenth of a second to load: not before it is needed. */
const loadPdf = async () => (await import("pdfkit")).default;

type PdfDocument = InstanceType<Awaited<ReturnType<typeof loadPdf>>>;

interface Cell {
  readonly index: number;
  readonly x: number;
  readonly title: string;
  readonly width: number;
  readonly right?: true;
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

/** The fonts of every reader have the letters of Western Europe; others are shown as question marks. */
const printable = (text: string) =>
  text.normalize("NFC").replace(/[^\n\x20-\x7e\u00a0-\u00ff\u2013\u2014\u2018-\u201d\u20ac]/gu, "?");

/** One document while it is written, from the top down. */
class Printer {
  #y: number = page.top;
  readonly #cells: readonly Cell[];

  constructor(
    private readonly document: PdfDocument,
    private readonly report: Report,
  ) {
    this.#cells = cellsOf(report);
  }

  print(): void {
    const { rows, above, below } = this.report;
    this.#letterhead();
    this.#address();
    this.#tableHead();
    for (const row of above) this.#row(row, fonts.bold);
    for (const row of rows) this.#row(row, fonts.plain);
    for (const row of below) this.#row(row, fonts.bold);
    this.#footers();
  }

  #style(font: string, size: number, color: string): PdfDocument {
    return this.document.font(font).fontSize(size).fillColor(color);
  }

  #line(y: number, color: string, thickness: number): void {
    this.document.moveTo(page.left, y).lineTo(page.right, y).lineWidth(thickness).strokeColor(color).stroke();
  }

  #letterhead(): void {
    const { bank, title, writtenAt } = this.report;
    const right = { width, align: "right" } as const;
    this.#style(fonts.bold, 16, ink.brand).text(bank.name, page.left, page.top);
    this.#style(fonts.plain, 8, ink.quiet)
      .text(`${bank.street}, ${bank.postCode} ${bank.city}`, page.left, page.top + 21)
      .text(`BIC ${bank.bic}`, page.left, page.top + 32);
    this.#style(fonts.bold, 13, ink.text).text(title, page.left, page.top + 2, right);
    this.#style(fonts.plain, 8, ink.quiet).text(
      `Written on ${writtenAt.toISOString().slice(0, 10)}`,
      page.left,
      page.top + 21,
      right,
    );
    this.#line(page.top + 48, ink.brand, 1.5);
  }

  /** To whom it is addressed, on the left, and what it is about, on the right. */
  #address(): void {
    const { holder, facts } = this.report;
    const top = page.top + 72;
    const [names, values] = [page.left + 280, page.left + 365];
    this.#style(fonts.bold, 10, ink.text).text(printable(holder.name), page.left, top, { width: 240 });
    this.#style(fonts.plain, 9, ink.text).text(
      printable(holder.address.split(", ").join("\n")),
      page.left,
      top + 14,
      { width: 240, lineGap: 2 },
    );
    facts.forEach(([name, value], line) => {
      const y = top + 14 * line;
      this.#style(fonts.plain, 8, ink.quiet).text(name, names, y + 1);
      this.#style(fonts.plain, 9, ink.text).text(value, values, y, { width: page.right - values });
    });
    this.#y = top + Math.max(60, 14 * facts.length) + 18;
  }

  #tableHead(): void {
    this.#style(fonts.bold, 8, ink.brand);
    for (const cell of this.#cells) this.#text(cell.title, cell);
    this.#y += 13;
    this.#line(this.#y, ink.brand, 1);
    this.#y += rowPadding;
  }

  #text(text: string, { x, width: room, right }: Cell): void {
    this.document.text(text, x, this.#y, { width: room, align: right ? "right" : "left" });
  }

  /** As high as its longest text; on the next page when it does not fit on this one. */
  #row(values: Row, font: string): void {
    const texts = this.#cells.map((cell) => [cell, printable(values[cell.index]!)] as const);
    this.#style(font, 8, ink.text);
    const heights = texts.map(([cell, text]) => this.document.heightOfString(text, { width: cell.width }));
    const height = Math.max(...heights);
    if (this.#y + height > page.bottom) {
      this.#nextPage();
      this.#style(font, 8, ink.text);
    }
    for (const [cell, text] of texts) this.#text(text, cell);
    this.#y += height + rowPadding;
    this.#line(this.#y, ink.line, 0.5);
    this.#y += rowPadding;
  }

  #nextPage(): void {
    this.document.addPage();
    const { bank, title, holder, facts } = this.report;
    const about = [title, printable(holder.name), facts[0]![1]].join("  ·  ");
    this.#style(fonts.bold, 9, ink.brand).text(bank.name, page.left, page.top);
    this.#style(fonts.plain, 8, ink.quiet).text(about, page.left, page.top + 1, { width, align: "right" });
    this.#line(page.top + 15, ink.brand, 1.5);
    this.#y = page.top + 30;
    this.#tableHead();
  }

  #footers(): void {
    const { count } = this.document.bufferedPageRange();
    const y = page.bottom + 16;
    for (let index = 0; index < count; index += 1) {
      this.document.switchToPage(index);
      const isLast = index === count - 1;
      this.#style(fonts.plain, 7, ink.quiet)
        .text("Sandbox: no bank and no money stand behind this document.", page.left, y, { lineBreak: false })
        .text(isLast ? "" : "Continued on the next page", page.left, y, { width, align: "center" })
        .text(`Page ${index + 1} of ${count}`, page.left, y, { width, align: "right" });
    }
  }
}

export async function pdf(report: Report): Promise<Buffer> {
  const Document = await loadPdf();
  const document = new Document({
    size: "A4",
    margins: { left: page.left, right: page.left, top: page.top, bottom: 0 },
    bufferPages: true,
    info: {
      Title: report.title,
      Author: report.bank.name,
      CreationDate: report.writtenAt,
      Producer: "fxdesk sandbox",
      Creator: "fxdesk sandbox",
    },
  });
  const written = buffer(document);
  new Printer(document, report).print();
  document.end();
  return written;
}
