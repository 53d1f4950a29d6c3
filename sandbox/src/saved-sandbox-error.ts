/** A saved sandbox that cannot be used. The message says why, and what would be right. */
export class SavedSandboxError extends RangeError {}

export const damagedStateError = (reason: string): SavedSandboxError =>
  new SavedSandboxError(`The saved sandbox is damaged: ${reason}`);
