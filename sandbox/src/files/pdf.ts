/** Reports to read and print. */
import { drawn, fonts, ink, page, type Paper, printable, width } from "./paper";
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
  readonly shown?: (text: string) => string;
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

/** One report while it is written, from the top down. */
class Printer {
  #y: number = page.top;
  readonly #cells: readonly Cell[];

  constructor(
    private readonly paper: Paper,
    private readonly report: Report,
  ) {
    this.#cells = cellsOf(report);
  }

  print(): void {
    const { rows, above, below } = this.report;
    this.#address();
    this.#tableHead();
    for (const row of above) this.#row(row, fonts.bold);
    for (const row of rows) this.#row(row, fonts.plain);
    for (const row of below) this.#row(row, fonts.bold);
  }

  /** To whom it is addressed, on the left, and what it is about, on the right. */
  #address(): void {
    const { holder, facts } = this.report;
    const top = page.top + 72;
    const [names, values] = [page.left + 280, page.left + 365];
    this.paper.style(fonts.bold, 10, ink.text).text(printable(holder.name), page.left, top, { width: 240 });
    this.paper
      .style(fonts.plain, 9, ink.text)
      .text(printable(holder.address.split(", ").join("\n")), page.left, top + 14, {
        width: 240,
        lineGap: 2,
      });
    facts.forEach(([name, value], line) => {
      const y = top + 14 * line;
      this.paper.style(fonts.plain, 8, ink.quiet).text(name, names, y + 1);
      this.paper.style(fonts.plain, 9, ink.text).text(value, values, y, { width: page.right - values });
    });
    this.#y = top + Math.max(60, 14 * facts.length) + 18;
  }

  #tableHead(): void {
    this.paper.style(fonts.bold, size, ink.brand);
    for (const cell of this.#cells) this.#text(cell.title, cell);
    this.#y += 13;
    this.paper.line(this.#y, ink.brand, 1);
    this.#y += rowPadding;
  }

  #text(text: string, { x, width: room, right }: Cell): void {
    this.paper.document.text(text, x, this.#y, { width: room, align: right ? "right" : "left" });
  }

  /** An amount broken over two lines would be two amounts: it is smaller where it does not fit. */
  #style(font: string, text: string, { width: room, right }: Cell): void {
    const needed = this.paper.style(font, size, ink.text).widthOfString(text);
    if (right && needed > room) this.paper.style(font, (size * room) / (needed + 1), ink.text);
  }

  /** As high as its longest text; on the next page when it does not fit on this one. */
  #row(values: Row, font: string): void {
    const texts = this.#cells.map((cell) => {
      const value = values[cell.index]!;
      return [cell, printable(cell.shown?.(value) ?? value)] as const;
    });
    const heights = texts.map(([cell, text]) => {
      this.#style(font, text, cell);
      return this.paper.document.heightOfString(text, { width: cell.width });
    });
    const height = Math.max(...heights);
    if (this.#y + height > page.bottom) this.#nextPage();
    for (const [cell, text] of texts) {
      this.#style(font, text, cell);
      this.#text(text, cell);
    }
    this.#y += height + rowPadding;
    this.paper.line(this.#y, ink.line, 0.5);
    this.#y += rowPadding;
  }

  #nextPage(): void {
    this.paper.document.addPage();
    const { bank, title, holder, facts } = this.report;
    const about = [title, printable(holder.name), facts[0]![1]].join("  ·  ");
    this.paper.style(fonts.bold, 9, ink.brand).text(bank.name, page.left, page.top);
    this.paper
      .style(fonts.plain, 8, ink.quiet)
      .text(about, page.left, page.top + 1, { width, align: "right" });
    this.paper.line(page.top + 15, ink.brand, 1.5);
    this.#y = page.top + 30;
    this.#tableHead();
  }
}

export const pdf = (report: Report): Promise<Buffer> =>
  drawn(report, (paper) => new Printer(paper, report).print());
