/** The `watch()` function for watches over the contract. */
import { watchFor } from "../spec/watch";
import type { ContractClient } from "../procedures/procedure";

// The explicit type lets the compiler emit short types for declarations.
export const watch: ReturnType<typeof watchFor<ContractClient>> = watchFor();
