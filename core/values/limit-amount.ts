/** Amounts of limits, in policies and of service keys. */
import { amountText } from "./amount-text";

export const LimitAmount = amountText(
  /^\d{1,14}(\.\d{1,4})?$/,
  'must be a decimal amount as text, such as "250000"',
);
