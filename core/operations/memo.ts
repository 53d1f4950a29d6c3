import type { Declaration } from "./declaration";

/** Derives something from a declaration once and remembers it for as long as the declaration lives. */
export function perOperation<T>(derive: (operation: Declaration) => T): (operation: Declaration) => T {
  const known = new WeakMap<Declaration, T>();
  return (operation) => {
    let derived = known.get(operation);
    if (derived === undefined) known.set(operation, (derived = derive(operation)));
    return derived;
  };
}
