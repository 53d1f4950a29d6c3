/** The types of a client: its methods, grouped by section, and what every client can do. */
import type {
  AsText,
  ResponseDeclaration,
  Callable,
  Declaration,
  Paging,
  LinkedPages,
  Method as HttpMethod,
  Effect,
} from "../declaration/operation";
import type { ReceivedFile } from "./received-file";
import type { CreatedResource, RecoveredCall, ServiceResponse } from "./response";
import type { InputOf } from "../declaration/input-types";
import type { CallOptions } from "./call-options";
import type { Service } from "../declaration/service";
import type { Values } from "../declaration/fields";
import type { PreparedCall } from "./prepared-call";
import type { OrderInput } from "../releases/order-input";
import type { ReleaseListOptions, ReleaseReport, ReleaseReportList } from "../releases/report";
import type { DecisionInput } from "../releases/release";
import type { Watch } from "../declaration/watch";
import type { InitialChanges, SinceOptions, Delivery, ChangeBatch, WatchOptions } from "../watches/options";

type BodyOf<A> = A extends { kind: "json"; schema: { _zod: { output: infer T } } }
  ? T | (A extends { asText: AsText } ? string : never)
  : A extends { kind: "file" }
    ? ReceivedFile
    : A extends { kind: "text" | "html" }
      ? string
      : undefined;

type ResponseDeclarations = Readonly<Record<number, ResponseDeclaration>>;

type ResponseUnion<A extends ResponseDeclarations> = {
  [S in keyof A & number]: ServiceResponse<S, BodyOf<A[S]>>;
}[keyof A & number];

type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

/** What a method returns: the body; where several responses are documented, the status and its body. */
export type OutputOf<D extends Callable> =
  IsUnion<keyof D["responses"]> extends true
    ? {
        [S in keyof D["responses"] & number]: { status: S; body: BodyOf<D["responses"][S]> };
      }[keyof D["responses"] & number]
    : BodyOf<D["responses"][keyof D["responses"]]>;

export type ResponseOf<D extends Callable> = ResponseUnion<D["responses"]>;

export type Arguments<D extends Callable> =
  Partial<InputOf<D>> extends InputOf<D> ? OptionalArguments<InputOf<D>> : RequiredArguments<InputOf<D>>;

export type AsTextOf<D extends Callable> = D["responses"][keyof D["responses"]] extends {
  asText: infer T extends AsText;
}
  ? T
  : never;

/** The input that does not ask for text. */
export type JsonInput<D extends Callable, T extends AsText> = {
  [K in keyof InputOf<D>]: K extends T["field"] ? Exclude<InputOf<D>[K], T["values"][number]> : InputOf<D>[K];
};

/** Where a response may be text, it is not for who does not ask for that. */
type JsonMethod<D extends Callable> = [AsTextOf<D>] extends [never]
  ? unknown
  : (input: JsonInput<D, AsTextOf<D>>, options?: CallOptions) => Promise<Exclude<OutputOf<D>, string>>;

type ItemOf<D extends Callable> = OutputOf<D> extends readonly (infer T)[] ? T : never;

/** What a method takes where its input is needed. */
export type RequiredArguments<Input, Options = CallOptions> = [input: Input, options?: Options];

/** What a method takes where its input may be left out. */
export type OptionalArguments<Input, Options = CallOptions> = [input?: Input, options?: Options];

/** The method of an operation or a procedure. */
export interface CallMethod<Args extends readonly unknown[], Result, Response> {
  (...args: Args): Promise<Result>;
  /** The response with status, headers, total and what differed from the contract. */
  response(...args: Args): Promise<Response>;
}

/** The method of one that returns a list in pages. */
export interface ListMethod<Args extends readonly unknown[], Item, Response> extends CallMethod<
  Args,
  Item[],
  Response
> {
  /** Every entry of every page, fetched as they are consumed. */
  all(...args: Args): AsyncGenerator<Item, void, void>;
  /** Every page, fetched as it is consumed. */
  pages(...args: Args): AsyncGenerator<Item[], void, void>;
}

/** Of one whose pages link to each other. Text does not come in pages. */
export interface LinkedPagesMethod<Args extends readonly unknown[], Result> {
  /** Every page, fetched as it is consumed. */
  pages(...args: Args): AsyncGenerator<Result, void, void>;
  /** All pages as one: the first, with the entries of all. */
  whole(...args: Args): Promise<Result>;
}

/** The method of a watch. Tells each change once, over restarts and processes; ends with its signal, or with the client. */
export interface WatchMethod<Input extends readonly unknown[], Entry> {
  (...args: [...Input, options?: WatchOptions]): AsyncGenerator<Delivery<Entry>, void, void>;
  /** The changes after a cursor, for who asks from time to time. */
  since(...args: [...Input, options?: SinceOptions]): Promise<ChangeBatch<Entry>>;
}

type JsonArguments<D extends Callable> = [AsTextOf<D>] extends [never]
  ? Arguments<D>
  : RequiredArguments<JsonInput<D, AsTextOf<D>>>;
type JsonOutput<D extends Callable> = [AsTextOf<D>] extends [never]
  ? OutputOf<D>
  : Exclude<OutputOf<D>, string>;

export type Method<D extends Callable> = JsonMethod<D> &
  (D extends { pages: Paging }
    ? ListMethod<Arguments<D>, ItemOf<D>, ResponseOf<D>>
    : CallMethod<Arguments<D>, OutputOf<D>, ResponseOf<D>>) &
  (D extends { linkedPages: LinkedPages } ? LinkedPagesMethod<JsonArguments<D>, JsonOutput<D>> : unknown);

type InputArgument<D extends Callable> =
  Partial<InputOf<D>> extends InputOf<D> ? [input?: InputOf<D>] : [input: InputOf<D>];

type SectionOf<Name extends string> = Name extends `${infer Section}.${string}` ? Section : never;

export type Sections<Ops extends readonly Callable[]> = {
  readonly [S in SectionOf<Ops[number]["name"]>]: {
    readonly [D in Ops[number] as D["name"] extends `${S}.${infer M}` ? M : never]: D extends Watch
      ? WatchMethod<InputArgument<D>, OutputOf<D>>
      : Method<D>;
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

/** What a client does with orders and releases; every failure is an FxdeskError. */
export interface ClientOrders {
  /** Asks for an order: it is booked once it is released, by this client while it is open, or by any other. */
  order(input: OrderInput, options?: CallOptions): Promise<ReleaseReport>;
  /** How an order, or a call that waits for a yes, stands. */
  get(id: string): Promise<ReleaseReport>;
  /** The newest in the environment of this client, whoever asked for them: 1,000 at most, and whether these are all. */
  list(options?: ReleaseListOptions): Promise<ReleaseReportList>;
  /** Says yes or no as the person whose secret is given, under the policy and the file of people of this client. */
  decide(id: string, input: DecisionInput): Promise<ReleaseReport>;
  /** Takes one back, as long as nothing has left. */
  cancel(id: string, options?: CallOptions): Promise<ReleaseReport>;
  /** From now on books what is released in this environment, until the client is closed; nothing where no operation quotes. */
  start(): Promise<void>;
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
  /** Calls an operation or a procedure by its declaration, as surfaces do that derive from it. */
  call(callable: Callable, input: Values, options?: CallOptions): Promise<ServiceResponse>;
  /** Reads a paged operation by its declaration: a response for each page. */
  pages(
    operation: Callable,
    input: Values,
    options?: CallOptions,
  ): AsyncGenerator<ServiceResponse, void, void>;
  /**
   * Looks now for what became of a call that commits money, by its journal entry, or of all whose outcome is not known;
   * those that this connection can look for. It is done in the background as well, while a client lives that commits money.
   */
  recover(entry?: string): Promise<readonly RecoveredCall[]>;
  /**
   * The identifiers that calls of this environment and client created, of the kind that an operation creates or takes, such as consents or
   * payments: the newest 200, newest first, as the store has them. None where it does neither.
   */
  listCreatedResources(operation: Declaration): Promise<readonly CreatedResource[]>;
  /** Orders, and what else waits for a person's yes. */
  readonly orders: ClientOrders;
  /** Tells the changes of a watch by its declaration. Throws InvalidInput at once. */
  changes(watch: Watch, input: Values, options?: WatchOptions): AsyncGenerator<Delivery, void, void>;
  /** The changes of a watch after a cursor. */
  changesSince(watch: Watch, input: Values, options?: SinceOptions): Promise<ChangeBatch>;
  /** What a watch would tell if it began now, by one read of which nothing is kept. Throws InvalidInput. */
  readInitialChanges(
    watch: Watch,
    input: Values,
    options?: Pick<WatchOptions, "from">,
  ): Promise<InitialChanges>;
  /** Takes no more calls, and closes the connections once those under way have ended. */
  close(): Promise<void>;
}

/** A list whose entries are known by type; none where it may be any list. */
export type KnownEntries<List extends readonly Callable[]> = number extends List["length"]
  ? readonly []
  : List;

export type Client<Ops extends readonly Callable[]> = ClientCore & Sections<Ops>;
