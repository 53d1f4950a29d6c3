/** Saved sandboxes: the state, and the version of its format. */
import type { SandboxState } from "./sandbox-state";
import { type Json, deserializeState, serializeState } from "./state-serialization";

/** Error of a saved sandbox that cannot be loaded. The message says what to do. */
export class SavedSandboxError extends RangeError {}

export const damagedStateError = (reason: string): SavedSandboxError =>
  new SavedSandboxError(`The saved sandbox is damaged: ${reason}`);

/** Version of the format that is written and read. */
const currentVersion = 4;

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

const isState = (state: unknown): state is SandboxState =>
  typeof state === "object" && state !== null && "world" in state;

/** Throws a SavedSandboxError if this sandbox cannot read the version of the format. */
function assertReadable({ fxdesk_sandbox: savedVersion }: Partial<SavedSandbox>): void {
  if (savedVersion === undefined)
    throw new SavedSandboxError("This is not a saved sandbox: fxdesk_sandbox is missing.");
  if (savedVersion !== currentVersion)
    throw new SavedSandboxError(
      `The saved sandbox has format version ${JSON.stringify(savedVersion)}, but this @fxdesk/sandbox reads only version ${currentVersion}. Load it with the version of @fxdesk/sandbox that saved it.`,
    );
}

/** Parses a saved sandbox. Throws a SavedSandboxError. */
export function parseSavedState(value: unknown): SandboxState {
  const file = Object(value) as Partial<SavedSandbox>;
  assertReadable(file);
  try {
    const state = deserializeState(file.state!);
    if (isState(state)) return state;
  } catch (error) {
    throw damagedStateError((error as Error).message);
  }
  throw damagedStateError("its world is missing.");
}
