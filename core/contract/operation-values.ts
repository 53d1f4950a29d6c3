/** Types of the values of every operation of the contract. Resolved by the build. */
import type { operations } from "./all";
import type { ValuesOf } from "../spec/input-types";

/** Validated values of all fields, by operation name. */
export type OperationValues = {
  readonly [D in (typeof operations)[number] as D["name"]]: ValuesOf<D>;
};
