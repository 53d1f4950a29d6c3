/** Helpers for the declarations of watches. */
import { type Watch, watchFor, type WatchState } from "../spec/watch";
import type { ContractClient } from "../procedures/procedure";

// The explicit type lets the compiler emit short types for declarations.
/** Declares a watch over the contract. */
export const watch: ReturnType<typeof watchFor<ContractClient>> = watchFor();

/** A watch with entries of unknown type. */
export type AnyWatch = Watch & {
  readonly identify: (entry: unknown) => string;
  readonly state: (entry: unknown, input: unknown, previous: WatchState | undefined) => WatchState;
  readonly day?: (entry: unknown) => string;
};

const dayMs = 86_400_000;

/** Returns the day `days` days before another one, both YYYY-MM-DD. */
export const subtractDays = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * dayMs).toISOString().slice(0, "YYYY-MM-DD".length);
