/** Amounts of limits, in policies and of service keys. */
import { z } from "zod";

export const LimitAmount = z
  .string()
  .regex(/^\d{1,14}(\.\d{1,4})?$/, 'must be a decimal amount as text, such as "250000"');
