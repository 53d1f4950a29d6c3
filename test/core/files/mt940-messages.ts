/** MT940 messages as banks might write them. */
import { type Entry, readMt940 } from "../../../core/files";
import { collect } from "./statement-fixtures";

/** A message as a bank might write it: an opening of 100.00, and a closing that the caller gives. */
export const message = (content: readonly string[], closing = ":62F:C260131EUR100,00") =>
  [":20:REF", ":25:NL13TEST0123456789", ":28C:1/1", ":60F:C260101EUR100,", ...content, closing, "-"].join(
    "\r\n",
  );

export async function readEntries(content: readonly string[], closing?: string): Promise<readonly Entry[]> {
  const [found] = await collect(readMt940(message(content, closing)));
  return found!.entries;
}

/** The entry of a :61: of nothing with an :86: of these lines. */
export async function readEntryWithInformation(...information: string[]): Promise<Entry> {
  const [first, ...others] = information;
  const [found] = await readEntries([":61:2601150115C0,NTRFNONREF", `:86:${first}`, ...others]);
  return found!;
}
