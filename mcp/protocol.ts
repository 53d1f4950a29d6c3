/** The parts of MCP that fxdesk speaks, as plain types. */
import type { Requester } from "../core/people/requester";
import type { Progress } from "../core/spec/procedure";
import type { JsonObject, ToolResult } from "./render/content";

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: "object" };
  /** Set for tools that read. */
  readonly outputSchema?: JsonObject & { readonly type: "object" };
  readonly annotations: ToolAnnotations;
  /** For hosts that show cards; others do not receive it. */
  readonly _meta?: ToolMeta;
}

export interface ToolMeta {
  readonly ui: {
    readonly resourceUri?: string;
    /** Callers other than the default, which also allows cards. */
    readonly visibility?: readonly ["model"];
  };
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  /** Default: false. */
  readonly idempotentHint?: true;
  /** Default: true. */
  readonly openWorldHint?: false;
}

/** A watch as a listed resource. Has a `uri` only if the watch has no required fields. */
export interface WatchResource {
  readonly uriTemplate: string;
  readonly uri?: string;
  /** Listed with the URI and with the template. */
  readonly listed: Readonly<Record<"name" | "title" | "description" | "mimeType", string>>;
  /** Interval between two polls of a subscription. */
  readonly everyMs: number;
}

interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
}

/** A prompt as hosts list it. */
export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

/** Values for an argument that a person types. */
export interface Completion {
  readonly values: string[];
  readonly total: number;
  readonly hasMore: boolean;
}

/** A question to the user of a host. */
export interface Question {
  readonly message: string;
  /** Identifies the subject: questions with different subjects are different questions. */
  readonly subject: string;
}

/** `none`: no answer. `later`: the host asks and repeats the call with the answer. */
export type Answer = "yes" | "no" | "none" | "later";

export type AskUser = (question: Question) => Promise<Answer>;

/** A page outside the host where a person confirms or authorises something. */
export interface PersonLink {
  readonly url: string;
  readonly message: string;
}

/** The caller of a tool. */
export interface Caller {
  /** The authenticated caller, if the server distinguishes its callers. Default: the requester of the client. */
  readonly requester?: Requester | undefined;
  readonly onProgress?: ((step: Progress) => void) | undefined;
  /** Asks the user of the host; undefined if the host cannot. */
  readonly ask?: AskUser | undefined;
  /** Shows a link to the user of the host, without waiting for them; undefined if the host cannot. */
  readonly showLink?: ((link: PersonLink) => void) | undefined;
  /** Has the trace context of the caller (`traceparent`). */
  readonly traceContext?: object | undefined;
}

/** Tools, resources and instructions: everything that a server serves. */
export interface Toolbox {
  /** Listed in a fixed order, the same for every connection. */
  readonly tools: readonly Tool[];
  /** Sent to the model when a connection opens. */
  readonly instructions: string;
  /** Distinguishes this server from others in the user interface of a host. */
  readonly title: string;
  /** Calls a tool; undefined if it is unknown. Never throws: every failure is a result. */
  call(
    name: string,
    input: JsonObject,
    signal: AbortSignal,
    caller?: Caller,
  ): Promise<ToolResult | undefined>;
  /** The prompts whose tools are offered. */
  readonly prompts: readonly Prompt[];
  /** Returns the text of a prompt; undefined if it is unknown. Throws a TypeError for wrong arguments. */
  renderPrompt(name: string, values: Readonly<Record<string, string>>): string | undefined;
  /** Completes an argument of a prompt or of the template of a resource. */
  complete(argument: string, text: string): Promise<Completion>;
  /** The offered watches as resources. */
  readonly resources: readonly WatchResource[];
  /**
   * Reads a part of a resource that a call of the same person stored, or the changes of a watch; undefined if the URI is unknown or
   * expired. Throws an Error with the reason if a watch cannot be read.
   */
  read(uri: string, requester?: Requester): Promise<JsonObject | undefined>;
  /** Polls the watch at a URI until the signal aborts; `onUpdated` reports changes to read. Returns false for an unknown watch. */
  subscribe(uri: string, onUpdated: () => void, signal: AbortSignal, requester?: Requester): boolean;
  /** Accepts no more calls, aborts reads, and waits for calls that move money and were sent. */
  close(): Promise<void>;
  /** Returns log lines for the calls whose outcome would be unknown if the process ended now. */
  unfinishedCalls(): readonly string[];
}

/** A running server. */
export interface RunningServer {
  /** Accepts no more calls, aborts reads, waits for calls that move money and were sent, and delivers their results. */
  close(): Promise<void>;
  /** Returns log lines for the calls whose outcome would be unknown if the process ended now. */
  unfinishedCalls(): readonly string[];
}

/** A server that is not connected yet. */
export interface McpServer {
  /** Starts to serve on a transport of the MCP SDK. */
  connect(transport: object): Promise<void>;
  /** Accepts no more calls, aborts reads, and waits for calls that move money and were sent. */
  close(): Promise<void>;
}
