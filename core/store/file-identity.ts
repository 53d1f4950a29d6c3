/** Detects that the files of an open SQLite database were deleted, moved or replaced: SQLite itself continues in the old ones. */
import { statSync } from "node:fs";

/** The database, its log and the index of the log. While a connection is open, SQLite replaces none of them. */
const suffixes = ["", "-wal", "-shm"] as const;

/** Returns device and inode. The inode is 0 on some file systems of Windows, where open files cannot be deleted. */
function identify(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Thrown instead of writing to files that no other process can open. */
export class StoreFileLost extends Error {
  constructor(path: string) {
    super(
      `${path} was deleted, moved or replaced while it was open. Put the file back, together with its -wal file, or restart ` +
        "this process to use the file that is there now.",
    );
  }
}

/** Returns a function that throws StoreFileLost unless `path` still leads to the files that are there now. */
export function watchFiles(path: string): () => void {
  const opened = suffixes.map((suffix) => identify(path + suffix));
  return () => {
    if (suffixes.some((suffix, index) => identify(path + suffix) !== opened[index]))
      throw new StoreFileLost(path);
  };
}
