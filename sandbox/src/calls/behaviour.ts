/** Handlers of the sandbox's operations, and their results, typed by the responses that the operation documents. */
import type {
  Declaration,
  operations,
  OperationValues,
  Values,
  AsText,
  ResponseDeclaration,
} from "@fxdesk/toolkit/operations";
import type { HttpRequest } from "../http/http";
import type { Client, Contact } from "../world/parties/parties";
import type { World } from "../world/model/world";
import type { z } from "zod";
import type { StoredFile } from "../world/model/outbox";

/** Any documented response. The body depends on its kind: a value, text, a StoredFile or nothing. */
export interface Result {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type of a JSON response that is sent as text instead. The body is that text. */
  readonly asText?: string;
}

/** Recursively read-only type. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

interface BodyByKind {
  readonly text: { readonly body: string };
  readonly html: { readonly body: string };
  readonly file: { readonly body: StoredFile };
  readonly empty: { readonly body?: undefined };
}

/** Body of a response by its kind. */
type BodyOf<R extends ResponseDeclaration> = R extends { readonly kind: keyof BodyByKind }
  ? BodyByKind[R["kind"]]
  : R extends { readonly kind: "json"; readonly schema: infer Schema extends z.ZodType }
    ?
        | { readonly body: DeepReadonly<z.input<Schema>> }
        | (R extends { readonly asText: AsText } ? { readonly asText: string; readonly body: string } : never)
    : never;

/** Documented response of an operation: each status with its declared body. */
export type ResultOf<D extends Declaration> = {
  readonly [Status in keyof D["responses"] & number]: {
    readonly status: Status;
    readonly headers?: Readonly<Record<string, string>>;
  } & BodyOf<D["responses"][Status]>;
}[keyof D["responses"] & number];

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
