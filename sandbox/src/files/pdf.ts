/** Reports to read and print. */
import type { Report } from "./report";

const margin = 45;
const pageWidth = 595 - 2 * margin;
const rowHeight = 22;
const lastRow = 770;
const gap = 6;

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
  let x = margin;
  return columns.flatMap(({ print }, index) => {
    if (!print) return [];
    const cell = { ...print, index, x };
    x += print.width + gap;
    return [cell];
  });
}

function row(document: PdfDocument, y: number, cells: readonly Cell[], textOf: (cell: Cell) => string): void {
  for (const cell of cells)
    document.text(textOf(cell), cell.x, y, {
      width: cell.width,
      height: rowHeight - 2,
      ellipsis: true,
      align: cell.right ? "right" : "left",
    });
}

/** The top of a page; answers where its table begins. */
function heading(document: PdfDocument, { title, facts }: Report, cells: readonly Cell[]): number {
  document.font("Helvetica-Bold").fontSize(15).text(title, margin, margin);
  document.font("Helvetica").fontSize(9);
  facts.forEach((fact, line) => document.text(fact, margin, margin + 26 + 13 * line));
  const top = margin + 40 + 13 * facts.length;
  document.font("Helvetica-Bold").fontSize(8);
  row(document, top, cells, ({ title: name }) => name);
  document.font("Helvetica");
  return top + rowHeight;
}

function numberPages(document: PdfDocument): void {
  const { count } = document.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    document.switchToPage(page);
    const place = { width: pageWidth, align: "right", lineBreak: false } as const;
    document.text(`Page ${page + 1} of ${count}`, margin, 785, place);
  }
}

export async function pdf(report: Report): Promise<Buffer> {
  const Document = await loadPdf();
  const document = new Document({
    size: "A4",
    margin,
    bufferPages: true,
    info: {
      Title: report.title,
      CreationDate: report.writtenAt,
      Producer: "fxdesk sandbox",
      Creator: "fxdesk sandbox",
    },
  });
  const written = collected(document);
  const cells = cellsOf(report);
  let y = heading(document, report, cells);
  for (const values of report.rows) {
    if (y > lastRow) {
      document.addPage();
      y = heading(document, report, cells);
    }
    row(document, y, cells, ({ index }) => values[index]!);
    y += rowHeight;
  }
  numberPages(document);
  document.end();
  return written;
}

async function collected(document: PdfDocument): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of document) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
