/**
 * The client of the whole contract. The build writes it out: with a name for every resource, input and response, and with
 * their docs.
 */
import type { operations } from "../contract/all";
import type { Client } from "./methods";

export type FxdeskClient = Client<typeof operations>;
