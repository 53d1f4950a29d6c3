/** Exchange rates given by the caller, for converted totals. */
import { z } from "zod";
import { Currency } from "../values/values";

/** Value of one unit of each currency in the target currency. */
export const Rates = z.record(
  Currency,
  z.string().regex(/^(?=.*[1-9])\d+(\.\d+)?$/, "must be a positive decimal rate such as 1.0832"),
);

export type Rates = z.infer<typeof Rates>;
