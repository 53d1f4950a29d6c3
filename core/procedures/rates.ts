/** Rates that a caller gives to see sums in one currency. */
import { z } from "zod";
import { Currency } from "../schema/values";

/** What one unit of each currency is worth. */
export const Rates = z.record(
  Currency,
  z.string().regex(/^(?=.*[1-9])\d+(\.\d+)?$/, "must be a positive decimal rate such as 1.0832"),
);

export type Rates = z.infer<typeof Rates>;
