/** Reads files that decide who may release. Rejects files that other users can change. */
import { readFile, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";

interface ProtectedFile {
  /** Name of the setting that contains the path. */
  readonly setting: string;
  readonly path: string;
  /** True if other users must not be able to read the file either. */
  readonly isSecret: boolean;
}

/** Returns the text of a file. Throws a TypeError that starts with the setting. */
export async function readProtectedFile({ setting, path, isSecret }: ProtectedFile): Promise<string> {
  if (!isAbsolute(path))
    throw new TypeError(`${setting} must be the absolute path of a file, not ${JSON.stringify(path)}.`);
  try {
    const { uid, mode } = await stat(path);
    if (process.platform !== "win32") {
      if (uid !== process.getuid!() && uid !== 0)
        throw new TypeError(`${setting} names ${path}, which is owned by another user.`);
      if (mode & 0o022)
        throw new TypeError(`${setting} names ${path}, which other users can write: run chmod go-w ${path}`);
      if (isSecret && mode & 0o044)
        throw new TypeError(`${setting} names ${path}, which other users can read: run chmod 600 ${path}`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new TypeError(`${setting} names ${path}, which cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
