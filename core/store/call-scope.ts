/** The calls of one operation for one client, as several tables store them in three columns. */
import type { Value } from "./database";

export interface CallScope {
  /** Name and address of the environment, for example `sandbox https://sandbox.example.com`. */
  readonly environment: string;
  /** Client ID of the service, or the values of its other customer fields. */
  readonly client: string;
  readonly operation: string;
}

/** SQL condition for the rows of a scope, with `scopeValues` as its parameters $1 to $3. */
export const inScope = "environment = $1 AND client = $2 AND operation = $3";

export const scopeValues = ({ environment, client, operation }: CallScope): Value[] => [
  environment,
  client,
  operation,
];
