import type { Callable } from "../../core/spec/operation";
import { modelFields } from "../../core/spec/fields";
import { argumentName } from "./names";
import type { Content, JsonObject } from "../protocol";

/** Upper bound of one result in characters of JSON: about 5,000 tokens, well below the limits of hosts. */
export const maxResultLength = 20_000;

/** The content of a result before it is formatted. */
export interface ResultContent {
  readonly content: JsonObject;
  /** The content as text if that is shorter than JSON. */
  readonly text?: string;
  /** Sentences of fxdesk about the content; never text that other people wrote. */
  readonly remarks: readonly string[];
  readonly attachments?: readonly Content[];
}

/** Adds a warning for calls that are not reads, which must not be repeated to see the rest. */
export const truncationNote = ({ effect }: Callable, text: string): string =>
  effect === "read"
    ? text
    : `${text} Do not call the tool again to see the rest: that would repeat the action.`;

/** Names the filters that reduce the result. */
export function narrowingHint(operation: Callable): string {
  const filters = modelFields(operation).filter(
    ({ location, required }) => location === "query" && !required,
  );
  return filters.length > 0
    ? ` Call again with ${filters.map(({ name }) => argumentName(name)).join(", ")} to narrow it.`
    : "";
}
