/**
 * Client of the built-in service. The build replaces this type by generated declarations with names and documentation for
 * every resource, input and response.
 */
import type { operations } from "../contract/all";
import type { procedures } from "../procedures/all";
import type { watches } from "../watches/all";
import type { Client } from "../api/client-types";

export type FxdeskClient = Client<readonly [...typeof operations, ...typeof procedures, ...typeof watches]>;
