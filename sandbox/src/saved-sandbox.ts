/** A sandbox as a file: its state, and the form it is in. */
import { type AnyState, migrateState, currentVersion } from "./migrations";
import { damagedStateError, SavedSandboxError } from "./saved-sandbox-error";
import type { SandboxState } from "./sandbox-state";
import { type Json, deserializeState, serializeState } from "./world/state-serialization";

/** A sandbox as a value that JSON can hold. */
export interface SavedSandbox {
  /** Of this form. */
  readonly fxdesk_sandbox: number;
  readonly state: Json;
}

export const saveState = (state: SandboxState): SavedSandbox => ({
  fxdesk_sandbox: currentVersion,
  state: serializeState(state),
});

const isState = (state: unknown): state is AnyState =>
  typeof state === "object" && state !== null && "world" in state;

/** The version of the form that a value is in. Throws a SavedSandboxError when this sandbox cannot read it. */
function versionOf({ fxdesk_sandbox: savedVersion }: Partial<SavedSandbox>): number {
  if (savedVersion === undefined)
    throw new SavedSandboxError("This is no saved sandbox: fxdesk_sandbox is missing.");
  if (!Number.isInteger(savedVersion) || savedVersion < 1)
    throw new SavedSandboxError(
      `This is no saved sandbox: fxdesk_sandbox must be the version of its form, a number from 1, not ${JSON.stringify(savedVersion)}.`,
    );
  if (savedVersion > currentVersion)
    throw new SavedSandboxError(
      `A newer @fxdesk/sandbox saved this, in version ${savedVersion} of the form; this one reads versions up to ${currentVersion}. Upgrade @fxdesk/sandbox to load it.`,
    );
  return savedVersion;
}

/** What was saved, once more, in this version or one before. Throws a SavedSandboxError. */
export function parseSavedState(value: unknown): SandboxState {
  const file = Object(value) as Partial<SavedSandbox>;
  const savedVersion = versionOf(file);
  try {
    const state = deserializeState(file.state!);
    if (isState(state)) return migrateState(state, savedVersion) as unknown as SandboxState;
  } catch (error) {
    throw damagedStateError((error as Error).message);
  }
  throw damagedStateError("there is no world in it.");
}
