/** Payment products: their payment systems and reach. */
import { instant, type PaymentSystem, sepa, paymentSystemOf, target2 } from "@fxdesk/toolkit/calendars";

interface Product {
  readonly system: PaymentSystem;
  /** IBAN country codes the product reaches. Default: all. */
  readonly reach?: ReadonlySet<string>;
}

/** IBAN country codes of the Single Euro Payments Area. */
const sepaCountries: ReadonlySet<string> = new Set(
  (
    "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE " +
    "SI SK SM VA"
  ).split(" "),
);

/** Products that only pay euro to an IBAN. */
const euroProducts: Readonly<Record<string, Product>> = {
  "sepa-credit-transfers": { system: sepa, reach: sepaCountries },
  "instant-sepa-credit-transfers": { system: instant, reach: sepaCountries },
  "target-2-payments": { system: target2 },
};

const euroProduct = (product: string): Product | undefined =>
  euroProducts[product.replace(/^pain\.001-/, "")];

/** Returns the payment system of a product and currency. */
export const systemFor = (product: string, currency: string): PaymentSystem =>
  euroProduct(product)?.system ?? paymentSystemOf(currency);

/** Returns why a product cannot pay a currency to an account; undefined if it can. */
export function productViolation(
  product: string,
  currency: string,
  iban: string | undefined,
): string | undefined {
  const rules = euroProduct(product);
  if (!rules) return undefined;
  if (currency !== "EUR" || iban === undefined) return "The product only pays euro to an IBAN.";
  const country = iban.slice(0, 2).toUpperCase();
  return (rules.reach?.has(country) ?? true) ? undefined : `The product does not reach ${country}.`;
}
