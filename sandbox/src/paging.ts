/** Pages of a list. */
import type { Call } from "./behaviour";

/** The page the call asks for. */
export function pageOf<T>({ operation, values }: Call, items: readonly T[]): readonly T[] {
  const { page, size } = operation.pages!;
  const length = Number(values[size]);
  const start = (Number(values[page]) - 1) * length;
  return items.slice(start, start + length);
}
