import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Formats files that a test has written to docs/. */
export const formatDocs = () => execFileSync("npx", ["oxfmt", "docs"], { cwd: join(__dirname, "../..") });
