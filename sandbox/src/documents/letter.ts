/** One page that says one thing: a title, and names with their values. */
import { drawn, fonts, ink, page, printable } from "../files/paper";
import type { Bank } from "../world/accounts/banks";

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
  drawn(letter, (paper) => {
    let y = page.top + 72;
    for (const [name, value] of letter.facts) {
      paper.style(fonts.plain, 10, ink.quiet).text(name, page.left, y);
      paper.style(fonts.plain, 10, ink.text).text(printable(value), valueX, y, { width: valueWidth });
      y = paper.document.y + lineGap;
    }
  });
