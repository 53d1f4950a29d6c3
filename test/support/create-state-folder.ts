/** Gives the tests their own folders for state and for saved sandboxes, which are removed afterwards. */
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export default function setUp(): void {
  process.env.XDG_STATE_HOME = mkdtempSync(join(tmpdir(), "fxdesk-state-"));
  process.env.FXDESK_TEST_WORLDS = join(process.env.XDG_STATE_HOME, "worlds");
  mkdirSync(process.env.FXDESK_TEST_WORLDS);
}
