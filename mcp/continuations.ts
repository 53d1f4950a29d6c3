/** Rows that were read but did not fit in a result, stored until the model continues with a cursor. */
import { invalidInputError } from "../core/call/call-errors";
import type { FxdeskError } from "../core/spec/errors";
import type { Values } from "../core/spec/fields";
import type { Callable } from "../core/spec/operation";
import { ExpiringStore, retentionText } from "./render/expiring-store";
import { argumentsOf } from "./render/names";
import type { Page } from "./render/rows";
import { jsonLength } from "./render/truncate";

/** The tool argument for the cursor in `next` of an earlier result. */
export const cursorArgument = "continue";

/** Schema of the argument. */
export const cursorProperty = {
  [cursorArgument]: {
    type: "string",
    description: "From `next` of the last result.",
  },
};

const expiredMessage =
  `is unknown or expired: remaining rows are kept for ${retentionText}, only by the server that read them. ` +
  `To start over, call without ${cursorArgument}; this reads from the service again`;

const otherArgumentsMessage = `belongs to a call with other arguments: send next unchanged, or omit ${cursorArgument}`;

export const invalidCursorError = (operation: Callable, message: string): FxdeskError =>
  invalidInputError(operation, [{ field: cursorArgument, message }]);

/** A row on a page. */
export interface Position {
  readonly page: Page;
  readonly rowIndex: number;
  /** Key of the page if it is stored. */
  readonly key?: string;
}

interface StoredPage {
  readonly tool: string;
  readonly page: Page;
}

/** The pages of operations whose reads the bank limits. Other pages are read again. */
export class Continuations {
  readonly #pages = new ExpiringStore<StoredPage>();

  /** Stores the page of a position unless it is stored already. Returns the cursor; undefined if the page is too large. */
  add({ tool }: Callable, { page, rowIndex, key }: Position): string | undefined {
    const storedKey = key ?? this.#pages.add({ tool, page }, jsonLength(page.rows));
    return storedKey === undefined ? undefined : `${storedKey}.${rowIndex}`;
  }

  /** Returns the position of a cursor. Throws InvalidInput if it is unknown, expired, or of a call with other arguments. */
  find(operation: Callable, values: Values, cursor: string): Position {
    const [key = "", index = ""] = cursor.split(".");
    const found = this.#pages.get(key);
    if (found?.tool !== operation.tool || !/^\d+$/.test(index))
      throw invalidCursorError(operation, expiredMessage);
    const { page } = found;
    const [given, stored] = [values, page.values].map((each) => JSON.stringify(argumentsOf(operation, each)));
    if (given !== stored) throw invalidCursorError(operation, otherArgumentsMessage);
    return { key, page, rowIndex: Number(index) };
  }
}
