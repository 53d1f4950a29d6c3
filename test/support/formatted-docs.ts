import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Lays out what a test has written under docs/ as the formatter wants it. */
export const formatDocs = () => execFileSync("npx", ["oxfmt", "docs"], { cwd: join(__dirname, "../..") });
