let asked = 0;

/** An identifier that no other request has; the same ones in every run. */
export function newRequestId(): string {
  asked += 1;
  return `00000000-0000-4000-8000-${asked.toString(16).padStart(12, "0")}`;
}
