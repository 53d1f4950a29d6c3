/** What leads a saved state from each version of its form to the next. */
import { redactExchangeBody, type Exchange } from "./exchange";

/** A state as some version had it; each migration knows the parts that it changes. */
export type AnyState = Readonly<Record<string, unknown>>;

/** Version 1 kept in its log what was typed at a login. */
function redactLoginSecrets(state: AnyState): AnyState {
  const exchanges = [...(state["exchanges"] as ReadonlyMap<number, Exchange>)].map(
    ([number, { request, response }]) =>
      [number, { request: redactExchangeBody(request), response: redactExchangeBody(response) }] as const,
  );
  return { ...state, exchanges: new Map(exchanges) };
}

/** In the order of the versions: the first leads from version 1 to version 2. */
const migrations: readonly ((state: AnyState) => AnyState)[] = [redactLoginSecrets];

/** Of the form that is written. Another form of the state gets another version, and a migration to it. */
export const currentVersion = migrations.length + 1;

/** The state in the form that is written, from an older one. */
export const migrateState = (state: AnyState, savedVersion: number): AnyState =>
  migrations.slice(savedVersion - 1).reduce((migrated, migrate) => migrate(migrated), state);
