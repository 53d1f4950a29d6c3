/** Cut-off times of the service, as the setting `cutOffs` gives them: `SEPA 14:00 Europe/Berlin, JPY 15:00 UTC the day before`. */
import { isZone } from "./days";
import type { CutOff, PaymentSystem } from "./payment-systems";

/** Cut-offs by currency, or by the name of a payment system. */
export type ServiceCutOffs = ReadonlyMap<string, CutOff>;

const cutOffPattern = /^(SEPA|TARGET2|[A-Z]{3}) +((?:[01]\d|2[0-3]):[0-5]\d) +(\S+)( +the +day +before)?$/;

/** Parses the setting. Throws a TypeError for a part that cannot be read, and for one that is there twice. */
export function parseCutOffs(text = ""): ServiceCutOffs {
  const cutOffs = new Map<string, CutOff>();
  for (const part of text.split(/[,;\n]/).map((each) => each.trim())) {
    if (part === "") continue;
    const [, name = "", at = "", zone = "", before] = cutOffPattern.exec(part) ?? [];
    if (!isZone(zone))
      throw new TypeError(
        `cutOffs must be times with a time zone, such as SEPA 14:00 Europe/Berlin, USD 17:30 UTC, not ${JSON.stringify(part)}.`,
      );
    if (cutOffs.has(name)) throw new TypeError(`cutOffs must have ${name} only once.`);
    cutOffs.set(name, { businessDaysBefore: before === undefined ? 0 : 1, at, zone });
  }
  return cutOffs;
}

/** Returns a system with the cut-off of the service; undefined if that is not set. */
export function withServiceCutOff(system: PaymentSystem, cutOffs: ServiceCutOffs): PaymentSystem | undefined {
  const cutOff = cutOffs.get(system.name ?? "") ?? cutOffs.get(system.currency);
  if (system.cutOff === undefined) return system;
  return cutOff && { ...system, cutOff };
}
