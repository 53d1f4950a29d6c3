/** Reads one thing after the other, of which some may fail. */
import { FxdeskError } from "../errors";
import { sideBySide } from "../procedures/at-once";
import type { Context } from "../procedures/procedure";

/** What was read, and why the rest is missing. Throws the first failure where nothing could be read. */
export async function readEach<T, R>(
  { signal }: Context,
  things: readonly T[],
  nameOf: (thing: T) => string,
  read: (thing: T) => Promise<readonly R[]>,
): Promise<{ entries: R[]; gaps: string[] }> {
  const failures: FxdeskError[] = [];
  const gaps: string[] = [];
  const found = await sideBySide(things, async (thing) => {
    try {
      return await read(thing);
    } catch (error) {
      if (!(error instanceof FxdeskError) || signal?.aborted) throw error;
      failures.push(error);
      gaps.push(`${nameOf(thing)}: ${error.message}`);
      return [];
    }
  });
  if (failures.length > 0 && failures.length === things.length) throw failures[0]!;
  return { entries: found.flat(), gaps };
}
