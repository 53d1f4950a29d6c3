/** The values of every operation of the contract, as types. The build writes them out. */
import type { operations } from "./all";
import type { ValuesOf } from "../declaration/input-types";

/** By the name of an operation, what all its fields hold in a request that has been checked. */
export type OperationValues = {
  readonly [D in (typeof operations)[number] as D["name"]]: ValuesOf<D>;
};
