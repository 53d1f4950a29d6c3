/** The contract of the service as data: every operation, in the contract's order. */
import { statements } from "./statements";
import { trades } from "./trades";

export const operations = [...statements, ...trades] as const;

export * from "./check";
export * from "./declaration";
export * from "./fields";
export * from "./memo";
export * from "./wire";
