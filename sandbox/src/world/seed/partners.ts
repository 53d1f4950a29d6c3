/** Suppliers and customers of the demo company. */
import { bankIn, domesticAddress, ibanOf } from "../banks/banks";
import type { Beneficiary } from "../model/trade";
import type { World } from "../model/world";

const companies: readonly (readonly [name: string, currency: string, country: string])[] = [
  ["Alpenblick Maschinen AG", "EUR", "DE"],
  ["Brouwer Logistiek BV", "EUR", "NL"],
  ["Ferme Duval SARL", "EUR", "FR"],
  ["Nordsee Werften GmbH", "EUR", "DE"],
  ["Thistle & Sons Ltd", "GBP", "GB"],
  ["Pennine Castings Ltd", "GBP", "GB"],
  ["Severn Freight plc", "GBP", "GB"],
  ["Lakeside Components Inc", "USD", "US"],
  ["Prairie Data LLC", "USD", "US"],
  ["Redwood Instruments Inc", "USD", "US"],
  ["Aoyama Denki KK", "JPY", "JP"],
  ["Minato Seimitsu KK", "JPY", "JP"],
];

/** Supplier without a known account. */
const unknownAccount = "Severn Freight plc";

export const createPartners = ({ ids }: World, clientId: string): Beneficiary[] =>
  companies.map(([name, currency, country]) => {
    const digits = ids.digits(10);
    const iban = ibanOf(country, digits);
    const domestic = domesticAddress(country, digits);
    const known = { beneficiaryId: `BN${ids.digits(8)}`, clientId, name, currency, bic: bankIn(country).bic };
    if (name === unknownAccount) return Object.freeze(known);
    return Object.freeze({
      ...known,
      ...(iban && { iban }),
      ...(domestic && { accountNumber: domestic.accountNumber, bankIdentifier: domestic.bankIdentifier }),
    });
  });
