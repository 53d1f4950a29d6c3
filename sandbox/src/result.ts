/** What stands behind an operation gives back: one of the responses that its declaration documents. */
import type { AsText, Declaration, ResponseDeclaration } from "@fxdesk/toolkit/operations";
import type { Readable } from "node:stream";
import type { z } from "zod";
import type { StoredFile } from "./world/stored-file";

/** A file as a response; a long one is made while it is sent. */
export interface FileResponse extends Omit<StoredFile, "bytes"> {
  readonly bytes: Buffer | Readable;
}

/** Any of the documented responses. The body is what the response's kind takes: a value, text, a FileResponse or nothing. */
export interface Result {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** One of the media types in which a JSON response may come as text: the body is that text. */
  readonly asText?: string;
}

/** The same all the way down, and nothing of it is written to. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

interface BodyByKind {
  readonly text: { readonly body: string };
  readonly html: { readonly body: string };
  readonly file: { readonly body: FileResponse };
  readonly empty: { readonly body?: undefined };
}

/** What a response of a kind has. */
type BodyOf<R extends ResponseDeclaration> = R extends { readonly kind: keyof BodyByKind }
  ? BodyByKind[R["kind"]]
  : R extends { readonly kind: "json"; readonly schema: infer Schema extends z.ZodType }
    ?
        | { readonly body: DeepReadonly<z.input<Schema>> }
        | (R extends { readonly asText: AsText } ? { readonly asText: string; readonly body: string } : never)
    : never;

/** A documented response of an operation: each status with the body that it is declared with. */
export type ResultOf<D extends Declaration> = {
  readonly [Status in keyof D["responses"] & number]: {
    readonly status: Status;
    readonly headers?: Readonly<Record<string, string>>;
  } & BodyOf<D["responses"][Status]>;
}[keyof D["responses"] & number];
