/** Reach of payment products. */
/** IBAN country codes of the Single Euro Payments Area. */
const sepaCountries: ReadonlySet<string> = new Set(
  (
    "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE " +
    "SI SK SM VA"
  ).split(" "),
);

/** Country codes of the IBANs that a product reaches; undefined: all. Only for products that pay euro to an IBAN. */
const euroReach: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  "sepa-credit-transfers": sepaCountries,
  "instant-sepa-credit-transfers": sepaCountries,
  "target-2-payments": undefined,
};

/** Returns why a product cannot pay a currency to an account; undefined if it can. */
export function productViolation(
  product: string,
  currency: string,
  iban: string | undefined,
): string | undefined {
  const name = product.replace(/^pain\.001-/, "");
  if (!(name in euroReach)) return undefined;
  if (currency !== "EUR" || iban === undefined) return "The product only pays euro to an IBAN.";
  const country = iban.slice(0, 2).toUpperCase();
  return (euroReach[name]?.has(country) ?? true) ? undefined : `The product does not reach ${country}.`;
}
