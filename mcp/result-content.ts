/** What the results of all kinds have in common. */
import type { Declaration } from "../core/declaration/operation";
import { modelFields } from "../core/declaration/fields";
import { argumentName } from "./names";
import type { Content, JsonObject } from "./protocol";

/** Characters of JSON in one result: about 5,000 tokens, well below where hosts cut. */
export const maxResultLength = 20_000;

/** What a result shows. */
export interface ResultContent {
  readonly content: JsonObject;
  /** Sentences of ours about it; nothing that other people wrote. */
  readonly remarks: readonly string[];
  readonly attached?: readonly Content[];
}

/** How to ask for less, in the fields of the operation itself. */
export function narrowingHint(operation: Declaration): string {
  const filters = modelFields(operation).filter(({ place, required }) => place === "query" && !required);
  return filters.length > 0
    ? ` Call again with ${filters.map(({ name }) => argumentName(name)).join(", ")} to narrow it.`
    : "";
}
