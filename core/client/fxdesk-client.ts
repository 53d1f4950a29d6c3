/** The client of the whole contract. The build writes its methods out, with their docs. */
import type { operations } from "../operations";
import type { Client } from "./client";

export type FxdeskClient = Client<typeof operations>;
