/** The `procedure()` function for procedures over the contract. */
import type { operations } from "../contract/all";
import type { Client } from "../api/client-types";
import { procedureFor, type RunContext } from "../spec/procedure";

/** The client of procedures, with every operation of the contract. */
export type ContractClient = Client<typeof operations>;

export type Context = RunContext<ContractClient>;

// The explicit type lets the compiler emit short types for declarations.
export const procedure: ReturnType<typeof procedureFor<ContractClient>> = procedureFor();
