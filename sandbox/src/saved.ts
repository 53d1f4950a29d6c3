/** A sandbox as a file: its state, and the form it is in. */
import { type AnyState, migrated, version } from "./migrations";
import { damaged, SavedSandboxError } from "./saved-error";
import type { StageState } from "./stage-state";
import { type Json, read, written } from "./world/values";

/** A sandbox as a value that JSON can hold. */
export interface SavedSandbox {
  /** Of this form. */
  readonly fxdesk_sandbox: number;
  readonly state: Json;
}

export const saved = (state: StageState): SavedSandbox => ({
  fxdesk_sandbox: version,
  state: written(state),
});

const isState = (state: unknown): state is AnyState =>
  typeof state === "object" && state !== null && "world" in state;

/** The version of the form that a value is in. Throws a SavedSandboxError when this sandbox cannot read it. */
function versionOf({ fxdesk_sandbox: given }: Partial<SavedSandbox>): number {
  if (given === undefined)
    throw new SavedSandboxError("This is no saved sandbox: fxdesk_sandbox is missing.");
  if (!Number.isInteger(given) || given < 1)
    throw new SavedSandboxError(
      `This is no saved sandbox: fxdesk_sandbox must be the version of its form, a number from 1, not ${JSON.stringify(given)}.`,
    );
  if (given > version)
    throw new SavedSandboxError(
      `A newer @fxdesk/sandbox saved this, in version ${given} of the form; this one reads versions up to ${version}. Upgrade @fxdesk/sandbox to load it.`,
    );
  return given;
}

/** What was saved, once more, in this version or one before. Throws a SavedSandboxError. */
export function stateIn(value: unknown): StageState {
  const file = Object(value) as Partial<SavedSandbox>;
  const given = versionOf(file);
  try {
    const state = read(file.state!);
    if (isState(state)) return migrated(state, given) as unknown as StageState;
  } catch (error) {
    throw damaged((error as Error).message);
  }
  throw damaged("there is no world in it.");
}
