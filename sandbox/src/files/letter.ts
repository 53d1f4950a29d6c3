/** One-page PDF with a title and a list of names and values. */
import { drawPdf, fonts, ink, page, toPrintable } from "./pdf-canvas";
import type { Bank } from "../world/banks/banks";

export interface Letter {
  readonly bank: Bank;
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly writtenAt: Date;
}

const valueX = 200;
const valueWidth = page.right - valueX;
const lineGap = 8;

export const letterPdf = (letter: Letter): Promise<Buffer> =>
  drawPdf(letter, (canvas) => {
    let y = page.top + 72;
    for (const [name, value] of letter.facts) {
      canvas.setStyle(fonts.plain, 10, ink.quiet).text(name, page.left, y);
      canvas.setStyle(fonts.plain, 10, ink.text).text(toPrintable(value), valueX, y, { width: valueWidth });
      y = canvas.document.y + lineGap;
    }
  });
