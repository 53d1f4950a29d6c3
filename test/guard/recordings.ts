/**
 * The recordings in test/guard/recordings: requests and outcomes of an earlier version of the code. To make them
 * again, after an intended change: `FXDESK_RECORD=1 npx jest test/guard/calls`.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

export const isRecording = process.env.FXDESK_RECORD === "1";

const folder = join(__dirname, "recordings");

/** Reads a recording. */
export const readRecording = async (name: string): Promise<Buffer> =>
  gunzipSync(await readFile(join(folder, `${name}.gz`)));

/** Replaces a recording. */
export async function writeRecording(name: string, content: string | Buffer): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.gz`), gzipSync(content, { level: 9 }));
}

/** Returns a hash that is short enough to store ten thousand times. */
export const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 8);
