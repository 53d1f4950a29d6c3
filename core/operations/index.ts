/** The contract of the service as data: every operation, in the contract's order. */
import { consents } from "./consents";
import { openBanking } from "./open-banking";
import { payments } from "./payments";
import { statements } from "./statements";
import { trades } from "./trades";

export const operations = [...statements, ...trades, ...payments, ...consents, ...openBanking] as const;

export * from "./check";
export * from "./declaration";
export * from "./fields";
export * from "./memo";
export * from "./wire";
