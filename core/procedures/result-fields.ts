/** Fields that the results of procedures share. */
import { z } from "zod";

export const textField = (description: string) => z.string().describe(description);
export const optionalTextField = (description: string) => z.string().optional().describe(description);
export const countField = (description: string) => z.int().describe(description);
export const flagField = (description: string) => z.boolean().describe(description);

export const currencyField = textField("ISO 4217 code.");

/** Declares the period that a result covers. */
export const periodField = (description: string) =>
  z.object({ from: z.string(), to: z.string() }).describe(description);
