/** createClient: one typed method for each operation, grouped by section. */
import { z } from "zod";
import { InvalidInput } from "../errors";
import {
  type Answer,
  type AsText,
  type Declaration,
  type Effect,
  json,
  type LinkedPages,
  type Method as HttpMethod,
  operation,
  type Operation,
  type Paging,
} from "../operations/declaration";
import type { operations } from "../operations/all";
import { contract } from "../operations/contract";
import type { Service } from "../operations/definition";
import { splitName } from "../operations/sections";
import type { InputOf } from "../operations/input";
import type { Values } from "../operations/check";
import { Caller } from "./call";
import { connect, type Settings } from "./connection";
import type { CallOptions, ClientOptions } from "./options";
import type { ExtendedService } from "./extensions";
import type { ReceivedFile } from "./file";
import type { FxdeskClient } from "./fxdesk-client";
import { comesInPages, joined, pagesOf } from "./pages";
import type { PreparedCall } from "./pipeline";
import type { Reply } from "./reply";

type BodyOf<A> = A extends { kind: "json"; schema: { _zod: { output: infer T } } }
  ? T | (A extends { asText: AsText } ? string : never)
  : A extends { kind: "file" }
    ? ReceivedFile
    : A extends { kind: "text" | "html" }
      ? string
      : undefined;

type Answers = Readonly<Record<number, Answer>>;

type ReplyIn<A extends Answers> = {
  [S in keyof A & number]: Reply<S, BodyOf<A[S]>>;
}[keyof A & number];

type IsUnion<T, Whole = T> = T extends unknown ? ([Whole] extends [T] ? false : true) : never;

/** What a method answers: the body; where several answers are documented, the status and its body. */
export type OutputOf<D extends Declaration> =
  IsUnion<keyof D["answers"]> extends true
    ? {
        [S in keyof D["answers"] & number]: { status: S; body: BodyOf<D["answers"][S]> };
      }[keyof D["answers"] & number]
    : BodyOf<D["answers"][keyof D["answers"]]>;

export type ReplyOf<D extends Declaration> = ReplyIn<D["answers"]>;

type Arguments<D extends Declaration> =
  Partial<InputOf<D>> extends InputOf<D>
    ? [input?: InputOf<D>, options?: CallOptions]
    : [input: InputOf<D>, options?: CallOptions];

type AsTextOf<D extends Declaration> = D["answers"][keyof D["answers"]] extends {
  asText: infer T extends AsText;
}
  ? T
  : never;

/** The input that does not ask for text. */
type JsonInput<D extends Declaration, T extends AsText> = {
  [K in keyof InputOf<D>]: K extends T["field"] ? Exclude<InputOf<D>[K], T["values"][number]> : InputOf<D>[K];
};

/** Where an answer may be text, it is not for who does not ask for that. */
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
  /** The answer with status, headers, total and what differed from the contract. */
  reply(...args: Arguments<D>): Promise<ReplyOf<D>>;
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
  /** Calls a path the contract does not show, with the same credentials, errors and limits. Answers any 2xx. */
  request(request: UndeclaredRequest, options?: CallOptions): Promise<Reply>;
  /**
   * The call as it would leave, checked, filled and encoded, without credentials. Throws InvalidInput when it would not
   * leave. Nothing is sent.
   */
  prepare(operation: Declaration, input: Values, options?: CallOptions): PreparedCall;
  /** Calls a declared operation by its declaration, as surfaces do that derive from it. */
  call(operation: Declaration, input: Values, options?: CallOptions): Promise<Reply>;
  /** Reads a paged operation by its declaration: a response for each page. */
  pages(operation: Declaration, input: Values, options?: CallOptions): AsyncGenerator<Reply, void, void>;
  /** Takes no more calls, and closes the connections once those under way have ended. */
  close(): Promise<void>;
}

export type Client<Ops extends readonly Declaration[]> = ClientCore & Sections<Ops>;

const anyJson = json(z.unknown(), "Any response.");
const successes = Object.fromEntries([200, 201, 202, 203].map((status) => [status, anyJson]));

const looseShape = (values: object = {}) =>
  Object.fromEntries(Object.keys(values).map((key) => [key, z.unknown().optional()]));

/** Throws InvalidInput when the path is none, or a field stands in query and body. */
function undeclared(service: Service, request: UndeclaredRequest): Operation {
  try {
    return declared(service, request);
  } catch (error) {
    const message = (error as Error).message;
    throw new InvalidInput(message, {
      operation: undeclaredName,
      code: "invalid_input",
      outcome: "not-sent",
      problems: [{ field: "path", says: message }],
    });
  }
}

const undeclaredName = "client.request";

function declared({ servers, credentials }: Service, request: UndeclaredRequest): Operation {
  const { method, path, server = Object.keys(servers)[0]!, query, body, effect } = request;
  return operation({
    name: undeclaredName,
    tool: "request",
    title: "Request",
    summary: `${method} ${path}`,
    effect: effect ?? (method === "GET" ? "read" : "change"),
    method,
    path,
    server,
    credentials: Object.keys(credentials).map((name) => `${name}?`),
    query: looseShape(query),
    ...(body && { body: z.object(looseShape(body)) }),
    answers: { ...successes, 204: { kind: "empty", says: "Done." } },
    errors: {},
    contract: "",
  });
}

function methodFor(core: ClientCore, declaration: Declaration) {
  const several = Object.keys(declaration.answers).length > 1;
  const reply = (input: Values = {}, options?: CallOptions) => core.call(declaration, input, options);
  const result = several ? ({ status, body }: Reply) => ({ status, body }) : ({ body }: Reply) => body;
  const method = (input?: Values, options?: CallOptions) => reply(input, options).then(result);
  if (!comesInPages(declaration)) return Object.assign(method, { reply });
  async function* pages(input: Values = {}, options?: CallOptions) {
    for await (const { body } of core.pages(declaration, input, options)) yield body;
  }
  async function* all(input?: Values, options?: CallOptions) {
    for await (const page of pages(input, options)) yield* page as unknown[];
  }
  async function whole(input: Values = {}, options?: CallOptions) {
    const replies: Reply[] = [];
    for await (const page of core.pages(declaration, input, options)) replies.push(page);
    return joined(declaration, replies).body;
  }
  return Object.assign(method, { reply, pages, ...(declaration.pages ? { all } : { whole }) });
}

const openSettings = (service: Service, settings: Settings): Record<string, string> =>
  Object.fromEntries(
    service.settings.flatMap(({ name, secret }) => {
      const value = settings[name];
      return secret || value === undefined ? [] : [[name, value] as const];
    }),
  );

/**
 * A client of the service. Throws a TypeError when an option does not fit; every failure of a call is an FxdeskError.
 *
 * @example
 * const client = createClient({ domain: "example.com", clientId: "…", credentials: { accessToken: "…" } });
 * for await (const trade of client.trades.list.all({ trade_type: ["forward"] })) console.log(trade.trade_id);
 */
export function createClient(options: ClientOptions): FxdeskClient;
export function createClient<const More extends readonly Declaration[]>(
  options: ClientOptions,
  service: Service<readonly [...typeof operations, ...More]>,
): FxdeskClient & Sections<More>;
export function createClient<const Ops extends readonly Declaration[]>(
  options: ClientOptions,
  service: Service<Ops>,
): Client<Ops>;
export function createClient(options: ClientOptions, service: ExtendedService = contract): ClientCore {
  const links = [...(service.interceptors ?? []), ...(options.interceptors ?? [])];
  const caller = new Caller(connect(service, options), links);
  const core: ClientCore = {
    service,
    settings: openSettings(service, caller.connection.settings),
    prepare: (declaration, input, callOptions = {}) => caller.prepare(declaration, input, callOptions),
    call: (declaration, input, callOptions = {}) => caller.call(declaration, input, callOptions),
    pages: (declaration, input, callOptions = {}) => pagesOf(declaration, input, caller, callOptions),
    request: async (request, callOptions = {}) =>
      caller.call(undeclared(service, request), { ...request.query, ...request.body }, callOptions),
    close: () => caller.close(),
  };
  const sections: Record<string, Record<string, unknown>> = {};
  for (const declaration of service.operations) {
    const [section, method] = splitName(declaration);
    (sections[section] ??= {})[method] = methodFor(core, declaration);
  }
  return { ...core, ...sections };
}
