/** Reports as PDF. */
import { drawPdf, fonts, ink, page, type PdfCanvas, toPrintable, width } from "./pdf-canvas";
import type { Report, Row } from "./report";

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
