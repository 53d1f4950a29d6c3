/** How watches over the contract are declared. */
import { watchOver } from "../declaration/watch";
import type { ContractClient } from "../procedures/procedure";

export const watch = watchOver<ContractClient>();
