/** Gives the tests their own state folder, which is removed afterwards. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setUp(): void {
  process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), "fxdesk-state-"));
}
