/** What stands behind an operation of the sandbox. */
import type { Declaration, OperationValues, Values } from "@fxdesk/toolkit/operations";
import type { HttpRequest } from "./http";
import type { Result } from "./result";
import type { Client, Contact } from "./world/parties/parties";
import type { World } from "./world/world";

/** A call that passed the door: the caller is known, the values fit the declaration, defaults are filled in. */
export interface Call<V = Values> {
  readonly operation: Declaration;
  readonly values: V;
  /** The client the call is about; on the open-banking interfaces, the company behind the accounts. */
  readonly client: Client;
  /** The acting contact: the one who is named, else the one the access token was given to. */
  readonly contact: Contact | undefined;
  readonly request: HttpRequest;
  readonly world: World;
}

/** Responds to a call, or throws a DomainError, or a Refusal of its own. */
export type Behaviour<V = Values> = (call: Call<V>) => Result | Promise<Result>;

/** A behaviour among others, whatever values it takes: the pipeline checks them before it calls. */
export type AnyBehaviour = Behaviour<never>;

/** The behaviours of a section: one for each operation declared there. */
export type BehavioursOf<Section extends string> = {
  readonly [Name in keyof OperationValues as Name extends `${Section}.${string}` ? Name : never]: Behaviour<
    OperationValues[Name]
  >;
};
