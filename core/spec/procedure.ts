/** The declaration of a procedure: a task that takes several calls of the service. */
import { z } from "zod";
import type { Callable, ResponseDeclaration, Shape } from "./operation";
import { propertyOf } from "../values/kind";
import { listSchemaOf } from "./result-list";

/** A progress report of a running procedure. */
export interface Progress {
  /** Completed steps, and the total if known. */
  readonly done: number;
  readonly total?: number | undefined;
  /** Current step, for people. */
  readonly message: string;
}

/** A file that a procedure produces. */
export interface ProducedFile {
  readonly name: string;
  readonly contentType: string;
  /** A stream can be read only once. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;
}

/** The location of a delivered file: its path, its whole content, or the URI under which it is stored. */
export type FileLocation =
  | { readonly path: string }
  | { readonly content: Buffer }
  | { readonly uri: string };

/** Fields of a delivered file in a result. Exactly one of `path`, `uri` and `content` is set. */
export const deliveredFileFields = {
  name: z.string().meta({ description: "Name of the file." }),
  content_type: z.string().meta({ description: "Its media type." }),
  path: z.string().optional().meta({ description: "Path of the file, if it was written to a folder." }),
  uri: z.string().optional().meta({ description: "URI of the file, if it is stored as a resource." }),
  content: (z.unknown() as unknown as z.ZodType<Buffer>)
    .optional()
    .meta({ description: "Content of the file, if it was not stored elsewhere." }),
};

/** Stores a file or hands it to the caller. */
export type DeliverFile = (file: ProducedFile) => Promise<FileLocation>;

/** The context of a running procedure or watch. `C` is the type of the client. */
export interface RunContext<C = never> {
  /**
   * Client for the calls. They inherit the options of the procedure's own call, for example its client ID and signal.
   */
  readonly client: C;
  /** Aborts the procedure. Calls observe it automatically; waits must check it themselves. */
  readonly signal: AbortSignal | undefined;
  /** Reports progress to the caller. */
  readonly progress: (step: Progress) => void;
  /** Delivers a file to the place that the caller chose. Throws an FxdeskError if it cannot be stored there. */
  readonly deliver: (file: ProducedFile) => Promise<FileLocation>;
}

/** A part of a request that an earlier call has sent as well, or may have. */
export interface RepeatedPart {
  /** Names the part at the beginning of a sentence. */
  readonly subject: string;
  /** False if one of the two requests cannot be read. */
  readonly isRead: boolean;
}

/** How a call with `compared` is compared again with other calls before it is sent. */
export interface RepetitionCheck {
  /** Names of the operations whose calls it may repeat. */
  readonly operations: readonly string[];
  /** Returns the part of an encoded request that an earlier one repeats; undefined if there is none. */
  readonly find: (body: string | undefined, earlier: string | undefined) => RepeatedPart | undefined;
}

/**
 * A function over a client with a declaration like that of an operation. Declared with `procedure()` in
 * core/procedures.
 */
export interface Procedure extends Callable {
  /** All fields are filled by the caller. */
  readonly input: Shape;
  /** Names of the operations that it calls. Its effect must not be lower than theirs, unless `effectReason` is set. */
  readonly uses: readonly string[];
  /** Reason for an effect lower than the highest of the operations in `uses`. */
  readonly effectReason?: string;
  /** Checks of previews that `run` makes itself, such as those of several fields. Throws InvalidInput; sends nothing. */
  readonly check?: (client: never, input: never) => Promise<void>;
  readonly repetition?: RepetitionCheck;
  /** Receives validated values with defaults applied. Returns the body that its response declares. */
  readonly run: (context: RunContext, input: never) => Promise<unknown>;
}

export const isProcedure = (callable: Callable): callable is Procedure => "run" in callable;

type SchemaOf<P> = P extends { readonly schema: infer S } ? S : P;

/** The validated values that a procedure with this input receives. */
export type ProcedureValues<S extends Shape> = {
  readonly [K in keyof S]: SchemaOf<S[K]> extends z.ZodType ? z.output<SchemaOf<S[K]>> : never;
};

type BodyOf<R extends ResponseDeclaration> = R extends { readonly schema: infer S extends z.ZodType }
  ? z.input<S>
  : unknown;

/** The properties that procedures and watches do not declare, because all have the same. */
export interface TaskDefaults<R extends ResponseDeclaration = ResponseDeclaration> {
  readonly responses: { readonly 200: R };
  readonly errors: Readonly<Record<number, never>>;
  readonly contract: string;
  readonly quotaBound: true;
}

/** Replaces `output` by the properties that every procedure and watch has. */
export const withTaskDefaults = <D, R extends ResponseDeclaration>({
  output,
  ...rest
}: D & { readonly output: R }): Readonly<Omit<D, "output"> & TaskDefaults<R>> =>
  Object.freeze({ ...rest, responses: { 200: output }, errors: {}, contract: "", quotaBound: true });

/** A procedure as its author writes it. `procedureFor` adds the properties that every procedure shares. */
export interface ProcedureDeclaration<C, S extends Shape, R extends ResponseDeclaration> extends Omit<
  Procedure,
  keyof TaskDefaults | "input" | "run" | "check"
> {
  readonly input: S;
  /** Response: its kind, description and schema. */
  readonly output: R;
  readonly check?: (client: C, input: ProcedureValues<S>) => Promise<void>;
  readonly run: (context: RunContext<C>, input: ProcedureValues<S>) => Promise<BodyOf<R>>;
}

/**
 * Declares a procedure over a client of type `C`. Throws a TypeError with its name if the declaration contradicts
 * itself.
 */
export const procedureFor =
  <C>() =>
  <const D extends Pick<Procedure, "name">, const S extends Shape, const R extends ResponseDeclaration>(
    declaration: D & ProcedureDeclaration<C, S, R>,
  ) => {
    const { name, output, resultList, identifiedBy } = declaration;
    if (resultList !== undefined && !listSchemaOf({ responses: { 200: output } }, resultList))
      throw new TypeError(`${name}: the output has no list ${resultList}.`);
    if (identifiedBy !== undefined && !(output.kind === "json" && propertyOf(output.schema, identifiedBy)))
      throw new TypeError(`${name}: the output has no field ${identifiedBy}.`);
    return withTaskDefaults<D & ProcedureDeclaration<C, S, R>, R>(declaration);
  };
