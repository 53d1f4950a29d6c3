/** What each payment product pays, by which system, and to whom. */
import { instant, type PaymentSystem, sepa, paymentSystemOf, target2 } from "../calendar/payment-systems";

interface Product {
  readonly system: PaymentSystem;
  /** The countries it reaches, by the beginning of an IBAN; all, without. */
  readonly reach?: ReadonlySet<string>;
}

/** The countries of the Single Euro Payments Area, as IBANs begin there. */
const sepaCountries: ReadonlySet<string> = new Set(
  (
    "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE " +
    "SI SK SM VA"
  ).split(" "),
);

/** Products that pay euro to an IBAN. */
const euroProducts: Readonly<Record<string, Product>> = {
  "sepa-credit-transfers": { system: sepa, reach: sepaCountries },
  "instant-sepa-credit-transfers": { system: instant, reach: sepaCountries },
  "target-2-payments": { system: target2 },
};

const euroProduct = (product: string): Product | undefined =>
  euroProducts[product.replace(/^pain\.001-/, "")];

/** What carries the payments of a product in a currency. */
export const systemFor = (product: string, currency: string): PaymentSystem =>
  euroProduct(product)?.system ?? paymentSystemOf(currency);

/** Why a product does not pay a currency to an account. */
export function productViolation(
  product: string,
  currency: string,
  iban: string | undefined,
): string | undefined {
  const rules = euroProduct(product);
  if (!rules) return undefined;
  if (currency !== "EUR" || iban === undefined) return "The product pays euro to an IBAN.";
  const country = iban.slice(0, 2).toUpperCase();
  return (rules.reach?.has(country) ?? true) ? undefined : `The product does not reach ${country}.`;
}
