/** The result of a tool, as hosts receive it and before it is formatted. */

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null;

export interface ResourceLink {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly description: string;
}

export type Content = { readonly type: "text"; readonly text: string } | ResourceLink;

/** `content` and `structuredContent` are each complete, because a host shows its model only one of them. */
export interface ToolResult {
  readonly content: readonly Content[];
  readonly structuredContent?: JsonObject;
  readonly isError?: true;
}

/** The content of a result before it is formatted. */
export interface ResultContent {
  readonly content: JsonObject;
  /** The content as text if that is shorter than JSON. */
  readonly text?: string;
  /** Sentences of fxdesk about the content; never text that other people wrote. */
  readonly remarks: readonly string[];
  readonly attachments?: readonly Content[];
}

/** Returns an error result. Text only, because strict clients check structured content against a schema. */
export const errorResult = (...sentences: readonly (string | false | undefined)[]): ToolResult => ({
  content: [{ type: "text", text: sentences.filter(Boolean).join(" ") }],
  isError: true,
});

/** Returns the result of a call that arrives while the server stops. */
export const stoppingResult = (tool: string): ToolResult =>
  errorResult(`${tool} failed: the server is stopping. Nothing was sent.`);

/** Time for which a server keeps what does not fit in a result. */
export const retentionMs = 15 * 60_000;

/** The retention time as it appears in results. */
export const retentionText = `${retentionMs / 60_000} minutes`;
