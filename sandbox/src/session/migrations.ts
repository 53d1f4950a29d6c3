/** Migrations of the saved-state format, one per version. */
import { redactExchangeBody, type Exchange } from "./exchange";

/** State in any version of the format. Each migration knows only the parts it changes. */
export type AnyState = Readonly<Record<string, unknown>>;

/** Version 1 recorded the secrets typed at a login. */
function redactLoginSecrets(state: AnyState): AnyState {
  const exchanges = [...(state["exchanges"] as ReadonlyMap<number, Exchange>)].map(
    ([number, { request, response }]) =>
      [number, { request: redactExchangeBody(request), response: redactExchangeBody(response) }] as const,
  );
  return { ...state, exchanges: new Map(exchanges) };
}

/** In version order: the first entry migrates version 1 to version 2. */
const migrations: readonly ((state: AnyState) => AnyState)[] = [redactLoginSecrets];

/** Version of the format that is written. Each change of the format needs a migration. */
export const currentVersion = migrations.length + 1;

/** Migrates a state to the current version. */
export const migrateState = (state: AnyState, savedVersion: number): AnyState =>
  migrations.slice(savedVersion - 1).reduce((migrated, migrate) => migrate(migrated), state);
