/** One page that says one thing: a title, and names with their values. */

export interface Letter {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly writtenAt: Date;
}

const margin = 56;
const valueX = 220;
const valueWidth = 595 - margin - valueX;
const lineGap = 8;

/** The library takes a tenth of a second to load: not before it is needed. */
const loadPdf = async () => (await import("pdfkit")).default;

export async function letterPdf({ title, facts, writtenAt }: Letter): Promise<Buffer> {
  const Document = await loadPdf();
  const producer = "fxdesk sandbox";
  const info = { Title: title, CreationDate: writtenAt, Producer: producer, Creator: producer };
  const document = new Document({ size: "A4", margin, info });
  const chunks: Buffer[] = [];
  document.on("data", (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise((resolve) => document.on("end", resolve));
  document.font("Helvetica-Bold").fontSize(16).text(title);
  let y = margin + 48;
  for (const [name, value] of facts) {
    document.font("Helvetica").fontSize(10).fillColor("#555555").text(name, margin, y);
    document.fillColor("#000000").text(value, valueX, y, { width: valueWidth });
    y = document.y + lineGap;
  }
  document.end();
  await ended;
  return Buffer.concat(chunks);
}
