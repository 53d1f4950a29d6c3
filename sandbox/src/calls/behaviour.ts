/** Handlers of the sandbox's operations. */
import type { Declaration, operations, OperationValues, Values } from "@fxdesk/toolkit/operations";
import type { HttpRequest } from "../http/http";
import type { Result, ResultOf } from "./result";
import type { Client, Contact } from "../world/parties/parties";
import type { World } from "../world/model/world";

/** An authorised call with validated values and filled-in defaults. */
export interface Call<V = Values> {
  readonly operation: Declaration;
  readonly values: V;
  /** Client of the call. On the open-banking interfaces, the company that holds the accounts. */
  readonly client: Client;
  /** Acting contact: the one named in the request, or else the one that the access token was issued to. */
  readonly contact: Contact | undefined;
  readonly request: HttpRequest;
  readonly world: World;
}

/** Handles a call. Throws a DomainError or an HttpError to refuse it. */
export type Behaviour<V = Values, R extends Result = Result> = (call: Call<V>) => R | Promise<R>;

/** Behaviour with its value type erased. The pipeline validates the values before the call. */
export type AnyBehaviour = Behaviour<never>;

/** Declaration of the contract operation with this name. */
export type Declared<Name> = Extract<(typeof operations)[number], { readonly name: Name }>;

/** Behaviours of a section: one per declared operation, typed by its documented responses. */
export type BehavioursOf<Section extends string> = {
  readonly [Name in keyof OperationValues as Name extends `${Section}.${string}` ? Name : never]: Behaviour<
    OperationValues[Name],
    ResultOf<Declared<Name>>
  >;
};
