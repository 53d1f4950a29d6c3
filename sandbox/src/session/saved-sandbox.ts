/** Saved sandboxes: the state and the version of its format. */
import { type AnyState, migrateState, currentVersion } from "./migrations";
import { damagedStateError, SavedSandboxError } from "./saved-sandbox-error";
import type { SandboxState } from "./sandbox-state";
import { type Json, deserializeState, serializeState } from "./state-serialization";

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
