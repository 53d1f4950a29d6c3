let asked = 0;

/** Returns a unique request ID; the sequence is the same in every run. */
export function newRequestId(): string {
  asked += 1;
  return `00000000-0000-4000-8000-${asked.toString(16).padStart(12, "0")}`;
}
