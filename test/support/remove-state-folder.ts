import { rmSync } from "node:fs";

export default function tearDown(): void {
  rmSync(process.env.XDG_STATE_HOME!, { recursive: true, force: true });
}
