/** Saved sandboxes: the state, the version of its format, and the migrations from earlier versions. */
import { TextColumn } from "../world/ledger/columns";
import type { WorldState } from "../world/model/world";
import type { SandboxState } from "./sandbox-state";
import { type Json, deserializeState, serializeState } from "./state-serialization";
import { redactExchangeBody, type Exchange } from "./exchange";

/** Error of a saved sandbox that cannot be loaded. The message says what to do. */
export class SavedSandboxError extends RangeError {}

export const damagedStateError = (reason: string): SavedSandboxError =>
  new SavedSandboxError(`The saved sandbox is damaged: ${reason}`);

/** State in any version of the format. Each migration knows only the parts it changes. */
type AnyState = Readonly<Record<string, unknown>>;

/** Version 1 recorded the secrets typed at a login. */
function redactLoginSecrets(state: AnyState): AnyState {
  const exchanges = [...(state["exchanges"] as ReadonlyMap<number, Exchange>)].map(
    ([number, { request, response }]) =>
      [number, { request: redactExchangeBody(request), response: redactExchangeBody(response) }] as const,
  );
  return { ...state, exchanges: new Map(exchanges) };
}

/** Texts of the ledger up to version 2: pieces of bytes, and for each text its piece, start and end in the piece. */
interface TextsInPieces {
  readonly pieces: readonly Buffer[];
  readonly places: readonly Uint32Array[];
  readonly begins: readonly Uint32Array[];
  readonly ends: readonly Uint32Array[];
}

/** Version 2 stored texts of the ledger in pieces. */
function joinLedgerTexts(state: AnyState): AnyState {
  const world = state["world"] as WorldState;
  const { ledger } = world;
  const { pieces, ...columns } = ledger.entries.texts as unknown as TextsInPieces;
  const [places, begins, ends] = [columns.places, columns.begins, columns.ends].map((column) =>
    column.flatMap((numbers) => [...numbers]),
  ) as [number[], number[], number[]];
  const texts = new TextColumn();
  places.forEach((piece, index) => texts.push(pieces[piece]!.toString("utf8", begins[index], ends[index])));
  const entries = { ...ledger.entries, texts: texts.state };
  return { ...state, world: { ...world, ledger: { ...ledger, entries } } };
}

/** In version order: the first entry migrates version 1 to version 2. */
const migrations: readonly ((state: AnyState) => AnyState)[] = [redactLoginSecrets, joinLedgerTexts];

/** Version of the format that is written. Each change of the format needs a migration. */
const currentVersion = migrations.length + 1;

/** Migrates a state to the current version. */
const migrateState = (state: AnyState, savedVersion: number): AnyState =>
  migrations.slice(savedVersion - 1).reduce((migrated, migrate) => migrate(migrated), state);

/** Saved sandbox as a JSON value. */
export interface SavedSandbox {
  /** Version of the format. */
  readonly fxdesk_sandbox: number;
  readonly state: Json;
}

export const saveState = (state: SandboxState): SavedSandbox => ({
  fxdesk_sandbox: currentVersion,
  state: serializeState(state),
});

const isState = (state: unknown): state is AnyState =>
  typeof state === "object" && state !== null && "world" in state;

/** Returns the version of the format. Throws a SavedSandboxError if this sandbox cannot read it. */
function versionOf({ fxdesk_sandbox: savedVersion }: Partial<SavedSandbox>): number {
  if (savedVersion === undefined)
    throw new SavedSandboxError("This is not a saved sandbox: fxdesk_sandbox is missing.");
  if (!Number.isInteger(savedVersion) || savedVersion < 1)
    throw new SavedSandboxError(
      `This is not a saved sandbox: fxdesk_sandbox must be a format version from 1, not ${JSON.stringify(savedVersion)}.`,
    );
  if (savedVersion > currentVersion)
    throw new SavedSandboxError(
      `The saved sandbox has format version ${savedVersion}, but this @fxdesk/sandbox reads versions up to ${currentVersion}. Upgrade @fxdesk/sandbox to load it.`,
    );
  return savedVersion;
}

/** Parses a saved sandbox and migrates it to the current version. Throws a SavedSandboxError. */
export function parseSavedState(value: unknown): SandboxState {
  const file = Object(value) as Partial<SavedSandbox>;
  const savedVersion = versionOf(file);
  try {
    const state = deserializeState(file.state!);
    if (isState(state)) return migrateState(state, savedVersion) as unknown as SandboxState;
  } catch (error) {
    throw damagedStateError((error as Error).message);
  }
  throw damagedStateError("its world is missing.");
}
