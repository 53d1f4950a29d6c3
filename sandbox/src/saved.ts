/** A sandbox as a file: its state, and the form it is in. */
import { damaged, SavedSandboxError } from "./saved-error";
import type { StageState } from "./stage-state";
import { type Json, read, written } from "./world/values";

/** Another form of the state gets another version. */
const version = 1;

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

const isState = (state: unknown): state is StageState =>
  typeof state === "object" && state !== null && "world" in state;

/** What was saved, once more. Throws a SavedSandboxError. */
export function stateIn(value: unknown): StageState {
  const { fxdesk_sandbox: given, state: json } = Object(value) as Partial<SavedSandbox>;
  if (given === undefined)
    throw new SavedSandboxError("This is no saved sandbox: fxdesk_sandbox is missing.");
  if (given !== version)
    throw new SavedSandboxError(
      `The sandbox was saved in version ${given} of the form; this one reads version ${version}. Use the version of @fxdesk/sandbox that saved it.`,
    );
  let state: unknown;
  try {
    state = read(json!);
  } catch (error) {
    throw damaged((error as Error).message);
  }
  if (!isState(state)) throw damaged("there is no world in it.");
  return state;
}
