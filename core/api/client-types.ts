/** Types of the client: its methods by section, and the members common to all clients. */
import type {
  AsText,
  ResponseDeclaration,
  Callable,
  Declaration,
  Paging,
  LinkedPages,
  Method as HttpMethod,
} from "../spec/operation";
import type { ReceivedFile } from "../call/received-file";
import type { CreatedResource, EarlierCalls, RecoveredCall, ServiceResponse } from "../call/response";
import type { InputOf } from "../spec/input-types";
import type { CallOptions } from "../call/call-options";
import type { Procedure } from "../spec/procedure";
import type { Service } from "../spec/service";
import type { Values } from "../spec/fields";
import type { PreparedCall } from "../call/prepared-call";
import type { OrderInput } from "../releases/terms";
import type { ReleaseListOptions, ReleaseReport, ReleaseReportList } from "../releases/report";
import type { CallOutcome } from "../spec/call-outcome";
import type { JournalReconciliation, PartialPeriod } from "../journal/reconciliation";
import type { DecisionInput } from "../releases/release";
import type { Watch } from "../spec/watch";
import type { InitialChanges, SinceOptions, Delivery, ChangeBatch, WatchOptions } from "./watch-options";

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

/** Return type of a method: the body, or status and body if the operation documents several responses. */
export type OutputOf<D extends Callable> =
  IsUnion<keyof D["responses"]> extends true
    ? {
        [S in keyof D["responses"] & number]: { status: S; body: BodyOf<D["responses"][S]> };
      }[keyof D["responses"] & number]
    : BodyOf<D["responses"][keyof D["responses"]]>;

/** Full response of an operation, as its `response` method returns it. */
export type ResponseOf<D extends Callable> = ResponseUnion<D["responses"]>;

/** Arguments of a method, with optional input if every field is optional. */
export type Arguments<D extends Callable> =
  Partial<InputOf<D>> extends InputOf<D> ? OptionalArguments<InputOf<D>> : RequiredArguments<InputOf<D>>;

/** Text representation that an operation can return instead of JSON; never if it has none. */
export type AsTextOf<D extends Callable> = D["responses"][keyof D["responses"]] extends {
  asText: infer T extends AsText;
}
  ? T
  : never;

/** Input that requests JSON, for operations that can also return text. */
export type JsonInput<D extends Callable, T extends AsText> = {
  [K in keyof InputOf<D>]: K extends T["field"] ? Exclude<InputOf<D>[K], T["values"][number]> : InputOf<D>[K];
};

/** Overload that narrows the result to JSON if the input does not request text. */
type JsonMethod<D extends Callable> = [AsTextOf<D>] extends [never]
  ? unknown
  : (input: JsonInput<D, AsTextOf<D>>, options?: CallOptions) => Promise<Exclude<OutputOf<D>, string>>;

type ItemOf<D extends Callable> = OutputOf<D> extends readonly (infer T)[] ? T : never;

/** Arguments of a method whose input is required. */
export type RequiredArguments<Input, Options = CallOptions> = [input: Input, options?: Options];

/** Arguments of a method whose input is optional. */
export type OptionalArguments<Input, Options = CallOptions> = [input?: Input, options?: Options];

/** Client method of an operation or a procedure. Returns the body. */
export interface CallMethod<Args extends readonly unknown[], Result, Response> {
  (...args: Args): Promise<Result>;
  /** Returns the full response: status, headers, total count, and deviations from the contract. */
  response(...args: Args): Promise<Response>;
}

/** Client method of an operation that returns a paged list. */
export interface ListMethod<Args extends readonly unknown[], Item, Response> extends CallMethod<
  Args,
  Item[],
  Response
> {
  /** Iterates over the entries of all pages. Pages are fetched as they are consumed. */
  all(...args: Args): AsyncGenerator<Item, void, void>;
  /** Iterates over the pages, which are fetched as they are consumed. */
  pages(...args: Args): AsyncGenerator<Item[], void, void>;
}

/** Additional methods of an operation whose pages link to each other. JSON only. */
export interface LinkedPagesMethod<Args extends readonly unknown[], Result> {
  /** Iterates over the pages, which are fetched as they are consumed. */
  pages(...args: Args): AsyncGenerator<Result, void, void>;
  /** Fetches all pages and returns the first one with the entries of all. */
  whole(...args: Args): Promise<Result>;
}

/**
 * Client method of a watch. Iterates over changes and delivers each one once, across restarts and processes that share a
 * store. Ends when its signal is aborted or the client is closed.
 */
export interface WatchMethod<Input extends readonly unknown[], Entry> {
  (...args: [...Input, options?: WatchOptions]): AsyncGenerator<Delivery<Entry>, void, void>;
  /** Returns the changes since a cursor, for polling. */
  since(...args: [...Input, options?: SinceOptions]): Promise<ChangeBatch<Entry>>;
}

type JsonArguments<D extends Callable> = [AsTextOf<D>] extends [never]
  ? Arguments<D>
  : RequiredArguments<JsonInput<D, AsTextOf<D>>>;
type JsonOutput<D extends Callable> = [AsTextOf<D>] extends [never]
  ? OutputOf<D>
  : Exclude<OutputOf<D>, string>;

/** Client method of an operation or a procedure, derived from its declaration. */
export type Method<D extends Callable> = JsonMethod<D> &
  (D extends { pages: Paging }
    ? ListMethod<Arguments<D>, ItemOf<D>, ResponseOf<D>>
    : CallMethod<Arguments<D>, OutputOf<D>, ResponseOf<D>>) &
  (D extends { linkedPages: LinkedPages } ? LinkedPagesMethod<JsonArguments<D>, JsonOutput<D>> : unknown);

type InputArgument<D extends Callable> =
  Partial<InputOf<D>> extends InputOf<D> ? [input?: InputOf<D>] : [input: InputOf<D>];

type SectionOf<Name extends string> = Name extends `${infer Section}.${string}` ? Section : never;

/** Methods grouped by section: the operation `trades.list` becomes `client.trades.list`. */
export type Sections<Ops extends readonly Callable[]> = {
  readonly [S in SectionOf<Ops[number]["name"]>]: {
    readonly [D in Ops[number] as D["name"] extends `${S}.${infer M}` ? M : never]: D extends Watch
      ? WatchMethod<InputArgument<D>, OutputOf<D>>
      : Method<D>;
  };
};

/**
 * A request to a path that the contract does not document. It commits money unless it is a GET, or an operation of the service
 * with another effect has its method and path.
 */
export interface UndeclaredRequest {
  readonly method: HttpMethod;
  /** Path below the base address, with a leading slash and without a query. */
  readonly path: string;
  /** Name of a server of the service. Default: the first one. */
  readonly server?: string;
  /** Query parameters; undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Fields of the JSON body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Selects calls that changed something. Conditions that are given must all hold; without any, the newest calls are found. */
export interface OutcomeQuery {
  /** Value of a single-use field: the ID of a booked quote. */
  readonly quote?: string | undefined;
  /** Idempotency key. */
  readonly key?: string | undefined;
  readonly reference?: string | undefined;
  /** ID of what was created, for example a trade or payment ID. */
  readonly id?: string | undefined;
  /** Day of the call, UTC, YYYY-MM-DD. */
  readonly day?: string | undefined;
  readonly release?: string | undefined;
  /** Journal entry. */
  readonly entry?: string | undefined;
}

/** Outcomes of calls, newest first. */
export interface OutcomeList {
  readonly outcomes: readonly CallOutcome[];
  /** True if no further calls match. At most 50 are listed. */
  readonly complete: boolean;
  /** Reason why calls may have been made that the store does not know. */
  readonly warning?: string;
}

/** An amount whose value in another currency is asked for. */
export interface EstimateQuery {
  readonly currency: string;
  /** Decimal text; negative for money that is owed and has to be bought. */
  readonly amount: string;
  readonly into: string;
}

/** Orders and release requests. Every failure is an FxdeskError. */
export interface ClientOrders {
  /** Checks the input of an order without requesting it. Throws InvalidInput. */
  check(input: OrderInput): Promise<void>;
  /** Requests an order. After its release it is booked by this client while it is open, or by any other that executes orders. */
  order(input: OrderInput, options?: CallOptions): Promise<ReleaseReport>;
  /** Returns the status of an order or of a call that needs a release. Under a policy, of an own one. */
  get(id: string, options?: CallOptions): Promise<ReleaseReport>;
  /**
   * Returns the newest requests in this environment: 1,000 at most, with a flag if there are more. Under a policy, these are the own
   * ones, unless the policy lists the requester in `seeAll`.
   */
  list(filter?: ReleaseListOptions, options?: CallOptions): Promise<ReleaseReportList>;
  /**
   * Finds what became of calls that changed something or moved money, in the journal and among the requests that wait for release.
   * Requesters see only what is theirs, as in `list`.
   */
  findOutcomes(query?: OutcomeQuery, options?: CallOptions): Promise<OutcomeList>;
  /**
   * Returns the value of one unit of a currency in another by the service's estimate for an amount, or undefined if there is none.
   * An estimate commits nothing.
   */
  estimateRate(query: EstimateQuery, options?: CallOptions): Promise<string | undefined>;
  /** Releases or refuses a request as the person whose secret is given, under the policy and people file of this client. */
  decide(id: string, input: DecisionInput, options?: Pick<CallOptions, "surface">): Promise<ReleaseReport>;
  /** Cancels a request, under a policy an own one. Fails once it was sent. */
  cancel(id: string, options?: CallOptions): Promise<ReleaseReport>;
  /**
   * Starts executing released requests of this environment, until the client is closed. Calls that need a release and orders
   * start it, too. Orders are booked only if the service has an operation that quotes. With `release: "needed"`, nothing is sent
   * without a release, also if the stored request says that it needs none.
   */
  start(options?: Pick<CallOptions, "release">): Promise<void>;
}

/** Members of every client, whatever its service. */
export interface ClientCore {
  /** Declarations that the client calls. Default: the contract. */
  readonly service: Service;
  /** Effective settings by name, without secrets. */
  readonly settings: Readonly<Record<string, string>>;
  /** Maximum number of concurrent calls per server. Procedures and watches read as many accounts side by side. */
  readonly connections: number;
  /** Calls an undocumented path with the credentials, error handling and limits of the client. Returns any 2xx response. */
  request(request: UndeclaredRequest, options?: CallOptions): Promise<ServiceResponse>;
  /** Returns the validated, encoded request without credentials. Throws InvalidInput if it is invalid. Sends nothing. */
  prepare(operation: Declaration, input: Values, options?: CallOptions): PreparedCall;
  /** Returns the values of a procedure with its defaults. Throws InvalidInput if it would refuse them. Sends nothing. */
  preview(procedure: Procedure, input: Values): Promise<Values>;
  /** Calls an operation or a procedure by its declaration. */
  call(callable: Callable, input: Values, options?: CallOptions): Promise<ServiceResponse>;
  /** Fetches the pages of an operation by its declaration. Yields one response per page. */
  pages(
    operation: Callable,
    input: Values,
    options?: CallOptions,
  ): AsyncGenerator<ServiceResponse, void, void>;
  /**
   * Looks up the outcome of a money call by its journal entry, or of all entries with an unknown outcome. The last ones are those
   * that could not be looked up, with the reason. An open client that makes money calls also does so in the background.
   */
  recover(entry?: string): Promise<readonly RecoveredCall[]>;
  /**
   * Compares the journal with the lists of the service, for the calls of this environment and client in a period; by default the
   * last seven days, or those up to `to`. Throws a TypeError for an invalid period, an Error if the store cannot be opened.
   */
  reconcileJournal(period?: PartialPeriod): Promise<JournalReconciliation>;
  /**
   * Returns IDs created by calls of this environment and client, for example consents or payments, of the kind that the
   * operation creates or takes in its path. The newest 200 from the store, newest first; none if it does neither.
   */
  listCreatedResources(operation: Declaration): Promise<readonly CreatedResource[]>;
  /**
   * Lists the calls of these money operations since a time (milliseconds since 1970) for the client: those in the journal, and
   * those that were requested for release and not sent. For comparison only: see `isOwn`. Throws an Error if the store cannot be read.
   */
  listEarlierCalls(
    operations: readonly Declaration[],
    since: number,
    options?: CallOptions,
  ): Promise<EarlierCalls>;
  /**
   * Runs work while no other process of the store runs work for the operation, environment and client, so that what the work
   * compares cannot change meanwhile. Throws Unavailable if others work for a minute, an Error if the store cannot be used.
   */
  exclusively<T>(operation: Declaration, work: () => Promise<T>, options?: CallOptions): Promise<T>;
  /** Orders and other requests that need a person's release. */
  readonly orders: ClientOrders;
  /** Iterates over the changes of a watch by its declaration. Throws InvalidInput immediately. */
  changes(watch: Watch, input: Values, options?: WatchOptions): AsyncGenerator<Delivery, void, void>;
  /** Returns the changes of a watch since a cursor. */
  changesSince(watch: Watch, input: Values, options?: SinceOptions): Promise<ChangeBatch>;
  /** Previews the first changes of a watch with a single read, and stores nothing. Throws InvalidInput. */
  readInitialChanges(
    watch: Watch,
    input: Values,
    options?: Pick<WatchOptions, "from">,
  ): Promise<InitialChanges>;
  /** Refuses new calls, waits for calls in progress and closes the connections. */
  close(): Promise<void>;
}

/** The list if its entries are known at compile time, otherwise an empty list. */
export type KnownEntries<List extends readonly Callable[]> = number extends List["length"]
  ? readonly []
  : List;

/** A client for the given operations, procedures and watches. */
export type Client<Ops extends readonly Callable[]> = ClientCore & Sections<Ops>;
