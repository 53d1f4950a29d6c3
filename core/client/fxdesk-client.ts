/**
 * The client of all that fxdesk offers by itself. The build writes it out: with a name for every resource, input and response, and with
 * their docs.
 */
import type { operations } from "../contract/all";
import type { procedures } from "../procedures/all";
import type { watches } from "../watches/all";
import type { Client } from "./client-types";

export type FxdeskClient = Client<readonly [...typeof operations, ...typeof procedures, ...typeof watches]>;
