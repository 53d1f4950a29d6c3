/** How procedures over the contract are declared, and what most of them do. */
import type { operations } from "../contract/all";
import type { Client } from "../client/methods";
import { procedureOver, type RunContext } from "../declaration/procedure";

/** What procedures call: every operation of the contract. */
export type ContractClient = Client<typeof operations>;

export type Context = RunContext<ContractClient>;

export const procedure = procedureOver<ContractClient>();
