/** What leads a saved state from each version of its form to the next. */
import { cleared, type Exchange } from "./exchange";

/** A state as some version had it; each migration knows the parts that it changes. */
export type AnyState = Readonly<Record<string, unknown>>;

/** Version 1 kept in its log what was typed at a login. */
function withoutTypedSecrets(state: AnyState): AnyState {
  const exchanges = [...(state["exchanges"] as ReadonlyMap<number, Exchange>)].map(
    ([number, { request, response }]) =>
      [number, { request: cleared(request), response: cleared(response) }] as const,
  );
  return { ...state, exchanges: new Map(exchanges) };
}

/** In the order of the versions: the first leads from version 1 to version 2. */
const migrations: readonly ((state: AnyState) => AnyState)[] = [withoutTypedSecrets];

/** Of the form that is written. Another form of the state gets another version, and a migration to it. */
export const version = migrations.length + 1;

/** The state in the form that is written, from an older one. */
export const migrated = (state: AnyState, from: number): AnyState =>
  migrations.slice(from - 1).reduce((older, migrate) => migrate(older), state);
