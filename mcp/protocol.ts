/** The parts of MCP that fxdesk speaks, as plain types. */

import type { Progress } from "../core/declaration/procedure";

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: "object" };
  readonly annotations: ToolAnnotations;
}

export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

export type Content = { readonly type: "text"; readonly text: string } | ResourceLink;

/** `content` and `structuredContent` are each complete: a host shows its model one or the other. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
}

/** What the person at a host is asked. */
export interface Question {
  readonly message: string;
  /** Stands for what it is about: another one is another question. */
  readonly subject: string;
}

/** `none`: they did not say. `later`: the host asks, and makes the call again with the answer. */
export type Answer = "yes" | "no" | "none" | "later";

export type AskUser = (question: Question) => Promise<Answer>;

/** Who calls a tool. */
export interface Caller {
  /** Who asks, where the server knows its callers apart; else the actor of its client. */
  readonly actor?: string | undefined;
  readonly onProgress?: ((step: Progress) => void) | undefined;
  /** Asks the person at the host; undefined where it cannot. */
  readonly ask?: AskUser | undefined;
}

/** Tools and the way to call them; what a server serves. */
export interface Toolbox {
  /** What is listed: in a fixed order, and the same for every connection. */
  readonly tools: readonly Tool[];
  /** Told to the model when a connection opens. */
  readonly instructions: string;
  /** For people, who have several servers. */
  readonly title: string;
  /** Undefined when there is no such tool. Every failure of a call is a result; nothing is thrown. */
  call(
    name: string,
    input: JsonObject,
    signal: AbortSignal,
    caller?: Caller,
  ): Promise<ToolResult | undefined>;
  /** The watches that are offered, which are resources too. */
  readonly resources: readonly WatchResource[];
  /**
   * The part of a resource at an address that a result gave, or what is new at that of a watch; undefined where there is
   * none any more. Throws an Error that says why it cannot be read.
   */
  read(uri: string): Promise<JsonObject | undefined>;
  /** Watches what is at an address until the signal ends it, and says when there is something to read. False where there is no watch. */
  subscribe(uri: string, onUpdated: () => void, signal: AbortSignal): boolean;
  /** Takes no more calls, aborts reads, and waits for calls that commit money and have left. */
  close(): Promise<void>;
  /** Lines for the log: what is unknown when the process ends now. */
  unfinishedCalls(): readonly string[];
}

/** A server that listens. */
export interface RunningServer {
  /** Takes no more calls, aborts reads, waits for calls that commit money and have left, and sends what is left to who still listens. */
  close(): Promise<void>;
  /** Lines for the log: what is unknown when the process ends now. */
  unfinishedCalls(): readonly string[];
}

/** A server that is not connected yet. */
export interface McpServer {
  /** Starts to serve on a transport of the MCP SDK. */
  connect(transport: object): Promise<void>;
  /** Takes no more calls, aborts reads, and waits for calls that commit money and have left. */
  close(): Promise<void>;
}

/** A result that says what went wrong. Text only: strict clients check structured content against its schema. */
export const errorResult = (...sentences: readonly (string | false | undefined)[]): ToolResult => ({
  content: [{ type: "text", text: sentences.filter(Boolean).join(" ") }],
  isError: true,
});

/** The result of a call that came after the server was asked to stop. */
export const stoppingResult = (tool: string): ToolResult =>
  errorResult(`${tool} failed: the server is being stopped. Nothing was sent.`);

/** A watch as it is listed: by a template of its address, and by the address where nothing must be said. */
export interface WatchResource {
  readonly uriTemplate: string;
  readonly uri?: string;
  readonly about: {
    readonly name: string;
    readonly title: string;
    readonly description: string;
    readonly mimeType: string;
  };
}

/** Where a resource is read, and how. */
export interface ResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly description: string;
}
