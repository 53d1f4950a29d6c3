/** Communications: the purpose of an entry, spread over movement and information records. */
import { toAscii, truncate } from "../charset";
import { isBelgianReference, isIsoReference } from "../identifiers";
import type { Entry } from "../statement";
import { widthOf } from "./records";

const movementCapacity =
  widthOf("2.1", "communication") + widthOf("2.2", "communication") + widthOf("2.3", "communication");
const informationCapacity =
  widthOf("3.1", "communication") + widthOf("3.2", "communication") + widthOf("3.3", "communication");

/** Types of structured communication, the first three digits of the text. */
export const isoReference = "100";
/** Reference as given by the payer, and as corrected by the bank. */
export const belgianReferences: readonly [given: string, ...string[]] = ["101", "102"];
export const counterpartyName = "001";
export const directDebit = "127";

/** `type` 1 is structured: the text begins with the three digits of its type. */
export interface Communication {
  readonly type: "0" | "1";
  readonly text: string;
}

/** Returns the creditor reference if CODA has a structure for it. */
const structuredReference = (reference = "") =>
  isBelgianReference(reference) || isIsoReference(reference) ? reference : undefined;

/** Returns the remittance, preceded by a reference that CODA has no structure for. */
const freeText = ({ creditorReference = "", remittance = "" }: Entry) =>
  toAscii(structuredReference(creditorReference) ? remittance : `${creditorReference} ${remittance}`);

const nameOf = ({ counterparty }: Entry) => truncate(toAscii(counterparty?.name ?? ""), 70);

/** Splits the communication of an entry into the movement and the information records. */
export function splitCommunication(entry: Entry): { movement: Communication; information: Communication[] } {
  const reference = structuredReference(entry.creditorReference);
  const text = freeText(entry);
  const name = nameOf(entry);
  const movement: Communication = reference
    ? { type: "1", text: (isBelgianReference(reference) ? belgianReferences[0] : isoReference) + reference }
    : { type: "0", text: text.slice(0, movementCapacity) };
  const overflow = truncate(reference ? text : text.slice(movementCapacity), informationCapacity);
  const information: Communication[] = [];
  if (name.length > widthOf("2.3", "counterpartyName"))
    information.push({ type: "1", text: counterpartyName + name });
  if (overflow !== "") information.push({ type: "0", text: overflow });
  return { movement, information };
}

/** Returns creditor reference, remittance and counterparty name as CODA represents them. */
export const normaliseCommunication = (entry: Entry) => ({
  creditorReference: structuredReference(entry.creditorReference),
  remittance:
    truncate(
      freeText(entry),
      structuredReference(entry.creditorReference)
        ? informationCapacity
        : movementCapacity + informationCapacity,
    ) || undefined,
  name: nameOf(entry) || undefined,
});
