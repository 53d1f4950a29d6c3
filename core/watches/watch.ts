/** How watches over the contract are declared. */
import { watchFor } from "../declaration/watch";
import type { ContractClient } from "../procedures/procedure";

// With its type said, declarations need not write it out.
export const watch: ReturnType<typeof watchFor<ContractClient>> = watchFor();
