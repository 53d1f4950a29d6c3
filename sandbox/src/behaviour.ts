/** What stands behind an operation of the sandbox. */
import type { Declaration, operations, OperationValues, Values } from "@fxdesk/toolkit/operations";
import type { HttpRequest } from "./http";
import type { Result, ResultOf } from "./result";
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
export type Behaviour<V = Values, R extends Result = Result> = (call: Call<V>) => R | Promise<R>;

/** A behaviour among others, whatever values it takes: the pipeline checks them before it calls. */
export type AnyBehaviour = Behaviour<never>;

/** The declaration of an operation of the contract. */
export type Declared<Name> = Extract<(typeof operations)[number], { readonly name: Name }>;

/** The behaviours of a section: one for each operation declared there, which responds as it is declared. */
export type BehavioursOf<Section extends string> = {
  readonly [Name in keyof OperationValues as Name extends `${Section}.${string}` ? Name : never]: Behaviour<
    OperationValues[Name],
    ResultOf<Declared<Name>>
  >;
};
