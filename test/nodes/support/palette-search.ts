/** Phrases that people search for in the palette, and the node that each should find among the first three. */
export const searchPhrases: readonly (readonly [phrase: string, type: string])[] = [
  ["pay", "fxdesk-initiate-payment"],
  ["send money", "fxdesk-initiate-payment"],
  ["wire", "fxdesk-initiate-payment"],
  ["supplier", "fxdesk-initiate-payment"],
  ["credit transfer", "fxdesk-initiate-payment"],
  ["salaries", "fxdesk-initiate-bulk-payment"],
  ["pay many", "fxdesk-initiate-bulk-payment"],
  ["balance", "fxdesk-get-cash-position"],
  ["cash", "fxdesk-get-cash-position"],
  ["liquidity", "fxdesk-get-cash-position"],
  ["how much money", "fxdesk-get-cash-position"],
  ["statement", "fxdesk-fetch-statements"],
  ["bank statement", "fxdesk-fetch-statements"],
  ["MT940", "fxdesk-fetch-statements"],
  ["month end", "fxdesk-fetch-statements"],
  ["transactions", "fxdesk-find-transactions"],
  ["search", "fxdesk-find-transactions"],
  ["money received", "fxdesk-watch-transactions"],
  ["reconcile", "fxdesk-reconcile-transactions"],
  ["invoices", "fxdesk-reconcile-transactions"],
  ["buy currency", "fxdesk-order-trade"],
  ["exchange", "fxdesk-order-trade"],
  ["spot", "fxdesk-order-trade"],
  ["forward", "fxdesk-order-trade"],
  ["hedge", "fxdesk-get-exposure"],
  ["exposure", "fxdesk-get-exposure"],
  ["maturity", "fxdesk-watch-maturities"],
  ["approve", "fxdesk-release"],
  ["low balance", "fxdesk-watch-balances"],
  ["payment status", "fxdesk-get-payment-status"],
  ["Kontostand", "fxdesk-get-cash-position"],
  ["Saldo", "fxdesk-get-cash-position"],
  ["Liquidität", "fxdesk-get-cash-position"],
  ["Überweisung", "fxdesk-initiate-payment"],
  ["Zahlung", "fxdesk-initiate-payment"],
  ["bezahlen", "fxdesk-initiate-payment"],
  ["Geld senden", "fxdesk-initiate-payment"],
  ["Sammelüberweisung", "fxdesk-initiate-bulk-payment"],
  ["Gehälter", "fxdesk-initiate-bulk-payment"],
  ["Auszug", "fxdesk-fetch-statements"],
  ["Kontoauszug", "fxdesk-fetch-statements"],
  ["Monatsende", "fxdesk-fetch-statements"],
  ["Umsatz", "fxdesk-find-transactions"],
  ["Umsätze", "fxdesk-find-transactions"],
  ["Buchungen", "fxdesk-find-transactions"],
  ["suchen", "fxdesk-find-transactions"],
  ["Zahlungseingang", "fxdesk-watch-transactions"],
  ["Abgleich", "fxdesk-reconcile-transactions"],
  ["Rechnungen", "fxdesk-reconcile-transactions"],
  ["Devisen", "fxdesk-order-trade"],
  ["Dollar kaufen", "fxdesk-order-trade"],
  ["Termingeschäft", "fxdesk-order-trade"],
  ["Währungsrisiko", "fxdesk-get-exposure"],
  ["Absicherung", "fxdesk-get-exposure"],
  ["Fälligkeit", "fxdesk-watch-maturities"],
  ["Freigabe", "fxdesk-release"],
  ["genehmigen", "fxdesk-release"],
  ["Mindestsaldo", "fxdesk-watch-balances"],
  ["Einwilligung", "fxdesk-create-consent"],
  ["Zahlungsstatus", "fxdesk-get-payment-status"],
];

/** Node of the palette as the editor searches it. */
export interface PaletteEntry {
  readonly type: string;
  /** Attribute `data-palette-label`. */
  readonly text: string;
}

/** Returns the types that the editor shows for a search. It tests type and text and keeps the order of the palette. */
export function filterPalette(entries: readonly PaletteEntry[], phrase: string): string[] {
  const pattern = new RegExp(phrase.replace(/[-/\\^$*+?.()|[\]{}]/g, "\\$&"), "i");
  return entries.filter(({ type, text }) => pattern.test(type) || pattern.test(text)).map(({ type }) => type);
}
