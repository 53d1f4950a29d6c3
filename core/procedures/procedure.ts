/** How procedures over the contract are declared, and what most of them do. */
import type { operations } from "../contract/all";
import type { Client } from "../client/client-types";
import { procedureFor, type RunContext } from "../declaration/procedure";

/** What procedures call: every operation of the contract. */
export type ContractClient = Client<typeof operations>;

export type Context = RunContext<ContractClient>;

// With its type said, declarations need not write it out.
export const procedure: ReturnType<typeof procedureFor<ContractClient>> = procedureFor();
