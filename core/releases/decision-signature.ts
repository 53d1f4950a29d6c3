/** Signatures of decisions: HMAC with the key of the people file, over the whole decision. */
import { createHmac } from "node:crypto";
import { findActivePerson, type People } from "../people/people-file";
import { equalHashes } from "../people/token";
import { canonicalJson } from "../values/json";
import type { Decision } from "./release";

const macOf = ({ key }: People, decision: Omit<Decision, "mac">): string =>
  createHmac("sha256", Buffer.from(key, "base64")).update(canonicalJson(decision)).digest("hex");

/** Signs the decision of an authenticated person. Throws a TypeError if the person is unknown or locked. */
export function signDecision(people: People, decision: Omit<Decision, "mac" | "epoch">): Decision {
  const person = findActivePerson(people, decision.person);
  if (!person) throw new TypeError(`people: ${decision.person} is unknown or locked.`);
  const signed = { ...decision, epoch: person.epoch };
  return { ...signed, mac: macOf(people, signed) };
}

/** True if the decision was signed with this file's key and is unchanged. */
export function hasValidSignature(people: People, { mac, ...decision }: Decision): boolean {
  return equalHashes(macOf(people, decision), mac);
}

/** True if the person may still decide, and was neither locked nor given another secret since the decision. */
export const isOfPresentEpoch = (people: People, { person, epoch }: Decision): boolean =>
  findActivePerson(people, person)?.epoch === epoch;
