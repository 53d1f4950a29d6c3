/** The types of a client: its methods, grouped by section, and what every client can do. */
import type {
  AsText,
  ResponseDeclaration,
  Declaration,
  Paging,
  LinkedPages,
  Method as HttpMethod,
  Effect,
} from "../declaration/operation";
import type { ReceivedFile } from "./file";
import type { ServiceResponse } from "./response";
import type { InputOf } from "../declaration/input";
import type { CallOptions } from "./call-options";
import type { Service } from "../declaration/service";
import type { Values } from "../declaration/fields";
import type { PreparedCall } from "./pipeline";

type BodyOf<A> = A extends { kind: "json"; schema: { _zod: { output: infer T } } }
  ? T | (A extends { asText: AsText } ? string : never)
  : A extends { kind: "file" }
    ? ReceivedFile
    : A extends { kind: "text" | "html" }
      ? string
      : undefined;

type ResponseDeclarations = Readonly<Record<number, ResponseDeclaration>>;

type ResponseIn<A extends ResponseDeclarations> = {
  [S in keyof A & number]: ServiceResponse<S, BodyOf<A[S]>>;
}[keyof A & number];

type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

/** What a method returns: the body; where several responses are documented, the status and its body. */
export type OutputOf<D extends Declaration> =
  IsUnion<keyof D["responses"]> extends true
    ? {
        [S in keyof D["responses"] & number]: { status: S; body: BodyOf<D["responses"][S]> };
      }[keyof D["responses"] & number]
    : BodyOf<D["responses"][keyof D["responses"]]>;

export type ResponseOf<D extends Declaration> = ResponseIn<D["responses"]>;

export type Arguments<D extends Declaration> =
  Partial<InputOf<D>> extends InputOf<D>
    ? [input?: InputOf<D>, options?: CallOptions]
    : [input: InputOf<D>, options?: CallOptions];

export type AsTextOf<D extends Declaration> = D["responses"][keyof D["responses"]] extends {
  asText: infer T extends AsText;
}
  ? T
  : never;

/** The input that does not ask for text. */
export type JsonInput<D extends Declaration, T extends AsText> = {
  [K in keyof InputOf<D>]: K extends T["field"] ? Exclude<InputOf<D>[K], T["values"][number]> : InputOf<D>[K];
};

/** Where a response may be text, it is not for who does not ask for that. */
type JsonMethod<D extends Declaration> = [AsTextOf<D>] extends [never]
  ? unknown
  : (input: JsonInput<D, AsTextOf<D>>, options?: CallOptions) => Promise<Exclude<OutputOf<D>, string>>;

type ItemOf<D extends Declaration> = OutputOf<D> extends readonly (infer T)[] ? T : never;

interface PagedMethod<D extends Declaration> {
  /** Every entry of every page, fetched as they are consumed. */
  all(...args: Arguments<D>): AsyncGenerator<ItemOf<D>, void, void>;
  /** Every page, fetched as it is consumed. */
  pages(...args: Arguments<D>): AsyncGenerator<ItemOf<D>[], void, void>;
}

/** Text does not come in pages. */
type JsonArguments<D extends Declaration> = [AsTextOf<D>] extends [never]
  ? Arguments<D>
  : [input: JsonInput<D, AsTextOf<D>>, options?: CallOptions];
type JsonOutput<D extends Declaration> = [AsTextOf<D>] extends [never]
  ? OutputOf<D>
  : Exclude<OutputOf<D>, string>;

interface LinkedMethod<D extends Declaration> {
  /** Every page, fetched as it is consumed. */
  pages(...args: JsonArguments<D>): AsyncGenerator<JsonOutput<D>, void, void>;
  /** All pages as one: the first, with the entries of all. */
  whole(...args: JsonArguments<D>): Promise<JsonOutput<D>>;
}

interface PlainMethod<D extends Declaration> {
  (...args: Arguments<D>): Promise<OutputOf<D>>;
  /** The response with status, headers, total and what differed from the contract. */
  response(...args: Arguments<D>): Promise<ResponseOf<D>>;
}

export type Method<D extends Declaration> = JsonMethod<D> &
  PlainMethod<D> &
  (D extends { pages: Paging } ? PagedMethod<D> : unknown) &
  (D extends { linkedPages: LinkedPages } ? LinkedMethod<D> : unknown);

type SectionOf<Name extends string> = Name extends `${infer Section}.${string}` ? Section : never;

export type Sections<Ops extends readonly Declaration[]> = {
  readonly [S in SectionOf<Ops[number]["name"]>]: {
    readonly [D in Ops[number] as D["name"] extends `${S}.${infer M}` ? M : never]: Method<D>;
  };
};

/** A call to a path the contract does not show. */
export interface UndeclaredRequest {
  readonly method: HttpMethod;
  /** Path below the base address, beginning with a slash; without a query. */
  readonly path: string;
  /** Which of the service's servers: the first one by default. */
  readonly server?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** What the call does; by default a GET reads and everything else changes. Only reads are tried again. */
  readonly effect?: Effect;
}

export interface ClientCore {
  /** What is called: the contract by default. */
  readonly service: Service;
  /** The settings in force that are no secrets, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls a path the contract does not show, with the same credentials, errors and limits. Returns any 2xx. */
  request(request: UndeclaredRequest, options?: CallOptions): Promise<ServiceResponse>;
  /**
   * The call as it would leave, checked, filled and encoded, without credentials. Throws InvalidInput when it would not
   * leave. Nothing is sent.
   */
  prepare(operation: Declaration, input: Values, options?: CallOptions): PreparedCall;
  /** Calls a declared operation by its declaration, as surfaces do that derive from it. */
  call(operation: Declaration, input: Values, options?: CallOptions): Promise<ServiceResponse>;
  /** Reads a paged operation by its declaration: a response for each page. */
  pages(
    operation: Declaration,
    input: Values,
    options?: CallOptions,
  ): AsyncGenerator<ServiceResponse, void, void>;
  /** Takes no more calls, and closes the connections once those under way have ended. */
  close(): Promise<void>;
}

export type Client<Ops extends readonly Declaration[]> = ClientCore & Sections<Ops>;
