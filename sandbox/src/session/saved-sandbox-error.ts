/** Error of a saved sandbox that cannot be loaded. The message says what to do. */
export class SavedSandboxError extends RangeError {}

export const damagedStateError = (reason: string): SavedSandboxError =>
  new SavedSandboxError(`The saved sandbox is damaged: ${reason}`);
