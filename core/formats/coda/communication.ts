/** Communications: what an entry is paid for, spread over the records of a movement and the information on it. */
import { ascii, cut } from "../charset";
import { isBelgianReference, isIsoReference } from "../identifiers";
import type { Entry } from "../statement";
import { widthOf } from "./records";

const inMovement =
  widthOf("2.1", "communication") + widthOf("2.2", "communication") + widthOf("2.3", "communication");
const inInformation =
  widthOf("3.1", "communication") + widthOf("3.2", "communication") + widthOf("3.3", "communication");

/** Types of structured communication: the three digits it begins with. */
export const isoReference = "100";
/** As the payer gave it, and as the bank restored it. */
export const belgianReferences: readonly [given: string, ...string[]] = ["101", "102"];
export const counterpartyName = "001";
export const directDebit = "127";

/** `type` 1 is structured: the text begins with three digits that say how. */
export interface Communication {
  readonly type: "0" | "1";
  readonly text: string;
}

/** The creditor reference, when CODA has a structure for it. */
const structured = (reference = "") =>
  isBelgianReference(reference) || isIsoReference(reference) ? reference : undefined;

/** A reference of no known structure is said in words. */
const words = ({ creditorReference = "", remittance = "" }: Entry) =>
  ascii(structured(creditorReference) ? remittance : `${creditorReference} ${remittance}`);

const nameOf = ({ counterparty }: Entry) => cut(ascii(counterparty?.name ?? ""), 70);

/** What an entry says in its movement, and after it. */
export function communicationsOf(entry: Entry): { movement: Communication; information: Communication[] } {
  const reference = structured(entry.creditorReference);
  const text = words(entry);
  const name = nameOf(entry);
  const movement: Communication = reference
    ? { type: "1", text: (isBelgianReference(reference) ? belgianReferences[0] : isoReference) + reference }
    : { type: "0", text: text.slice(0, inMovement) };
  const overflow = cut(reference ? text : text.slice(inMovement), inInformation);
  const information: Communication[] = [];
  if (name.length > widthOf("2.3", "counterpartyName"))
    information.push({ type: "1", text: counterpartyName + name });
  if (overflow !== "") information.push({ type: "0", text: overflow });
  return { movement, information };
}

/** The creditor reference, the remittance and the counterparty's name, as CODA carries them. */
export const carried = (entry: Entry) => ({
  creditorReference: structured(entry.creditorReference),
  remittance:
    cut(words(entry), structured(entry.creditorReference) ? inInformation : inMovement + inInformation) ||
    undefined,
  name: nameOf(entry) || undefined,
});
