/** Decimals of currencies (ISO 4217). */

const currenciesByDecimals: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW",
};

/** Currencies whose number of decimals is not 2. */
const decimalsByCurrency: ReadonlyMap<string, number> = new Map(
  Object.entries(currenciesByDecimals).flatMap(([count, codes]) =>
    codes.split(" ").map((code) => [code, Number(count)] as const),
  ),
);

/** Returns the number of decimals of a currency. Unknown currencies have 2. */
export const minorUnits = (currency: string): number => decimalsByCurrency.get(currency) ?? 2;
