/** Communications: the purpose of an entry, spread over movement and information records. */
import { toAscii, truncate } from "../charset";
import { isBelgianReference, isIsoReference } from "../identifiers";
import type { Entry } from "../statement";
import { widthOf } from "./records";

const widthsOf = (names: readonly ["2.1" | "3.1", "2.2" | "3.2", "2.3" | "3.3"]): readonly number[] =>
  names.map((name) => widthOf(name, "communication"));
const movementWidths = widthsOf(["2.1", "2.2", "2.3"]);
const informationWidths = widthsOf(["3.1", "3.2", "3.3"]);

const capacityOf = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width);
const movementCapacity = capacityOf(movementWidths);
const informationCapacity = capacityOf(informationWidths);

/** Types of structured communication, the first three digits of the text. */
export const isoReference = "100";
/** Reference as given by the payer, and as corrected by the bank. */
export const belgianReferences: readonly [given: string, ...string[]] = ["101", "102"];
export const counterpartyName = "001";
export const directDebit = "127";

/** A communication for the three records of a movement or of information. */
export interface Communication {
  /** 1 is structured: the text begins with the three digits of its type. */
  readonly type: "0" | "1";
  readonly first: string;
  readonly second: string;
  readonly third: string;
}

function toCommunication(type: "0" | "1", text: string, [first, second]: readonly number[]): Communication {
  const [middle, end] = [first!, first! + second!];
  return { type, first: text.slice(0, middle), second: text.slice(middle, end), third: text.slice(end) };
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
  const movement = reference
    ? toCommunication(
        "1",
        (isBelgianReference(reference) ? belgianReferences[0] : isoReference) + reference,
        movementWidths,
      )
    : toCommunication("0", text.slice(0, movementCapacity), movementWidths);
  const overflow = truncate(reference ? text : text.slice(movementCapacity), informationCapacity);
  const information: Communication[] = [];
  if (name.length > widthOf("2.3", "counterpartyName"))
    information.push(toCommunication("1", counterpartyName + name, informationWidths));
  if (overflow !== "") information.push(toCommunication("0", overflow, informationWidths));
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
