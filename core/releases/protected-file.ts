/** Files that decide who may release what: nobody else may have written them. */
import { readFile, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";

export interface ProtectedFile {
  /** What the setting is called that names it. */
  readonly setting: string;
  readonly path: string;
  /** Others must not read it either. */
  readonly isSecret: boolean;
}

/** The text of a file. Throws a TypeError that begins with the setting. */
export async function readProtectedFile({ setting, path, isSecret }: ProtectedFile): Promise<string> {
  if (!isAbsolute(path))
    throw new TypeError(`${setting} must be the absolute path of a file, not ${JSON.stringify(path)}.`);
  try {
    const { uid, mode } = await stat(path);
    if (process.platform !== "win32") {
      if (uid !== process.getuid!() && uid !== 0)
        throw new TypeError(`${setting} names ${path}, which belongs to another user.`);
      if (mode & 0o022)
        throw new TypeError(`${setting} names ${path}, which others may write to: chmod go-w ${path}`);
      if (isSecret && mode & 0o044)
        throw new TypeError(`${setting} names ${path}, which others may read: chmod 600 ${path}`);
    }
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof TypeError) throw error;
    throw new TypeError(`${setting} names ${path}, which cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}
