/** What stands behind an operation of the sandbox. */
import type { Declaration, OperationValues, Values } from "@fxdesk/toolkit/operations";
import type { Readable } from "node:stream";
import type { HttpRequest } from "./http";
import type { Client, Contact } from "./world/parties";
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

/** A file as the sandbox keeps it. */
export interface StoredFile {
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: Buffer;
}

/** A file as a response; a long one is made while it is sent. */
export interface FileResponse extends Omit<StoredFile, "bytes"> {
  readonly bytes: Buffer | Readable;
}

/** One of the documented responses. The body is what the response's kind takes: a value, text, a FileResponse or nothing. */
export interface Result {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** One of the media types in which a JSON response may come as text: the body is that text. */
  readonly asText?: string;
}

/** Responds to a call, or throws a Refusal. */
export type Behaviour<V = Values> = (call: Call<V>) => Result | Promise<Result>;

/** A behaviour among others, whatever values it takes: the pipeline checks them before it calls. */
export type AnyBehaviour = Behaviour<never>;

/** The behaviours of a section: one for each operation declared there. */
export type BehavioursOf<Section extends string> = {
  readonly [Name in keyof OperationValues as Name extends `${Section}.${string}` ? Name : never]: Behaviour<
    OperationValues[Name]
  >;
};
