/** What is kept for a user during the tests is kept apart: in a folder of their own, which goes with them. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setUp(): void {
  process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), "fxdesk-state-"));
}
