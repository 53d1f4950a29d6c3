/** What the results of all kinds have in common. */
import type { Callable } from "../core/declaration/operation";
import { modelFields } from "../core/declaration/fields";
import { argumentName } from "./argument-names";
import type { Content, JsonObject } from "./protocol";

/** Characters of JSON in one result: about 5,000 tokens, well below where hosts cut. */
export const maxResultLength = 20_000;

/** What a result shows. */
export interface ResultContent {
  readonly content: JsonObject;
  /** The same as text, where that is shorter than its JSON. */
  readonly text?: string;
  /** Sentences of ours about it; nothing that other people wrote. */
  readonly remarks: readonly string[];
  readonly attachments?: readonly Content[];
}

/** That something is not shown whole. What is not a read must not be called again to see the rest. */
export const truncationNote = ({ effect }: Callable, text: string): string =>
  effect === "read" ? text : `${text} Do not call it again for the rest: that would repeat it.`;

/** How to ask for less, in the fields of the operation itself. */
export function narrowingHint(operation: Callable): string {
  const filters = modelFields(operation).filter(
    ({ location, required }) => location === "query" && !required,
  );
  return filters.length > 0
    ? ` Call again with ${filters.map(({ name }) => argumentName(name)).join(", ")} to narrow it.`
    : "";
}
