/** Statements as a document to read and print. */
import type { StatementContent } from "./content";
import { dayOf } from "../world/days";
import { written } from "../world/currencies";

const columns = [
  { title: "Booked", x: 50, width: 60 },
  { title: "Value", x: 112, width: 60 },
  { title: "Details", x: 174, width: 200 },
  { title: "Amount", x: 376, width: 80, align: "right" },
  { title: "Balance", x: 460, width: 85, align: "right" },
] as const;

const rowHeight = 24;
const firstRow = 190;
const lastRow = 760;

export async function pdfStatement(content: StatementContent): Promise<Buffer> {
  const { default: PdfDocument } = await import("pdfkit");
  const { client, account, from, to, opening, closing, lines, writtenAt } = content;
  const document = new PdfDocument({
    size: "A4",
    margin: 50,
    bufferPages: true,
    info: {
      Title: `Account statement ${account.currency}`,
      CreationDate: writtenAt,
      Producer: "Sandbox",
      Creator: "Sandbox",
    },
  });
  const chunks: Buffer[] = [];
  const done = new Promise<void>((resolve) => {
    document.on("data", (chunk: Buffer) => chunks.push(chunk));
    document.on("end", resolve);
  });
  const amount = (value: StatementContent["opening"]) => written(value, account.currency);
  const row = (y: number, cells: readonly string[]) =>
    columns.forEach(({ x, width, ...rest }, index) =>
      document.text(cells[index]!, x, y, {
        width,
        height: rowHeight - 2,
        ellipsis: true,
        ...("align" in rest && { align: rest.align }),
      }),
    );
  const heading = () => {
    document.font("Helvetica-Bold").fontSize(15).text("Account statement", 50, 50);
    document.font("Helvetica").fontSize(9);
    document.text(`${client.name}, ${client.address}`, 50, 76);
    document.text(`Account ${account.accountNumber} in ${account.currency}`, 50, 90);
    document.text(`From ${from} to ${to}`, 50, 104);
    document.text(`Opening balance ${amount(opening)} ${account.currency}`, 50, 126);
    document.text(`Closing balance ${amount(closing)} ${account.currency}`, 50, 140);
    document.font("Helvetica-Bold").fontSize(8);
    row(
      firstRow - rowHeight,
      columns.map(({ title }) => title),
    );
    document.font("Helvetica");
  };
  heading();
  let y = firstRow;
  for (const { entry, amount: value, balance } of lines) {
    if (y > lastRow) {
      document.addPage();
      heading();
      y = firstRow;
    }
    const details = [entry.information, entry.counterparty?.name, entry.reference]
      .filter(Boolean)
      .join(" · ");
    row(y, [dayOf(entry.bookedAt), dayOf(entry.valueAt), details, amount(value), amount(balance)]);
    y += rowHeight;
  }
  const { count } = document.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    document.switchToPage(page);
    document.text(`Page ${page + 1} of ${count}`, 50, 780, { width: 495, align: "right", lineBreak: false });
  }
  document.end();
  await done;
  return Buffer.concat(chunks);
}
