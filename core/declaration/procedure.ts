/** What a procedure is: what a person asks for in one sentence, and the service gives in several calls. */
import type { z } from "zod";
import type { Callable, ResponseDeclaration, Shape } from "./operation";
import { propertyOf } from "../schema/kind";
import { listSchemaOf } from "./result-list";

/** How far a procedure has come. */
export interface Progress {
  /** Steps that are done, and how many there will be where that is known. */
  readonly done: number;
  readonly total?: number | undefined;
  /** What is being done, for people. */
  readonly message: string;
}

/** A file that a procedure gives. */
export interface ProducedFile {
  readonly name: string;
  readonly contentType: string;
  /** Taken once, as it arrives. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

/** What became of a file: where it lies, its whole content, or the address under which it is kept. */
export type FileLocation =
  | { readonly path: string }
  | { readonly content: Buffer }
  | { readonly uri: string };

/** Takes a file to its place. */
export type DeliverFile = (file: ProducedFile) => Promise<FileLocation>;

/** What a procedure runs with. */
export interface RunContext<C = never> {
  /** Makes the calls; they have the options of the call of the procedure, such as its client id and its signal. */
  readonly client: C;
  /** Ends the procedure: its calls end by themselves, its waits must. */
  readonly signal: AbortSignal | undefined;
  /** Tells whoever waits how far it has come. */
  readonly progress: (step: Progress) => void;
  /** Hands a file over to whoever called; where it goes is theirs to say. Throws an FxdeskError where it cannot go there. */
  readonly deliver: (file: ProducedFile) => Promise<FileLocation>;
}

/** A function over a client, declared as operations are: every surface derives from it. `procedure()` checks one. */
export interface Procedure extends Callable {
  /** All its fields are the caller's. */
  readonly input: Shape;
  /** The operations that it calls, by name. Its effect is the highest of theirs. */
  readonly uses: readonly string[];
  /** Why its effect is lower than the highest of what it uses. */
  readonly effectReason?: string;
  /** Gets checked values, each with its default where the caller gave none. Returns what its response declares. */
  readonly run: (context: RunContext, input: never) => Promise<unknown>;
}

export const isProcedure = (callable: Callable): callable is Procedure => "run" in callable;

type SchemaOf<P> = P extends { readonly schema: infer S } ? S : P;

/** The values of the fields of a shape, as a procedure gets them. */
export type ProcedureValues<S extends Shape> = {
  readonly [K in keyof S]: SchemaOf<S[K]> extends z.ZodType ? z.output<SchemaOf<S[K]>> : never;
};

type BodyOf<R extends ResponseDeclaration> = R extends { readonly schema: infer S extends z.ZodType }
  ? z.input<S>
  : unknown;

/** A procedure as it is written down; what it shares with operations and never needs is filled in. */
export interface ProcedureDeclaration<C, S extends Shape, R extends ResponseDeclaration> extends Pick<
  Procedure,
  | "name"
  | "tool"
  | "title"
  | "summary"
  | "notes"
  | "keywords"
  | "section"
  | "effect"
  | "rules"
  | "resultList"
  | "identifiedBy"
  | "companionOf"
  | "uses"
  | "effectReason"
  | "deliversFiles"
> {
  readonly input: S;
  /** What it returns. */
  readonly output: R;
  readonly run: (context: RunContext<C>, input: ProcedureValues<S>) => Promise<BodyOf<R>>;
}

/** Declares a procedure over a client. Throws a TypeError that names it when the declaration contradicts itself. */
export const procedureFor =
  <C>() =>
  <const D extends Pick<Procedure, "name">, const S extends Shape, const R extends ResponseDeclaration>(
    declaration: D & ProcedureDeclaration<C, S, R>,
  ) => {
    const { output, ...rest } = declaration;
    const responses = { 200: output };
    if (rest.resultList !== undefined && !listSchemaOf({ responses }, rest.resultList))
      throw new TypeError(`${rest.name}: its output has no list ${rest.resultList}.`);
    const { identifiedBy } = rest;
    if (identifiedBy !== undefined && !(output.kind === "json" && propertyOf(output.schema, identifiedBy)))
      throw new TypeError(`${rest.name}: its output has no field ${identifiedBy}.`);
    return Object.freeze({
      ...rest,
      responses,
      errors: {},
      contract: "",
      quotaBound: true,
    }) as Readonly<
      Omit<D & ProcedureDeclaration<C, S, R>, "output"> & {
        readonly responses: { readonly 200: R };
        readonly errors: Readonly<Record<number, never>>;
        readonly contract: string;
        readonly quotaBound: true;
      }
    >;
  };
