/** Reads files that decide who may release. Rejects files that other users can change. */
import { readFileSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";

interface ProtectedFile {
  /** Name of the setting that contains the path. */
  readonly setting: string;
  readonly path: string;
  /** True if other users must not be able to read the file either. */
  readonly isSecret: boolean;
}

/**
 * Returns the text of a file. Throws a TypeError that names the setting. Reads at once: send guards read these files in a
 * transaction, which must not wait for other work of this process.
 */
export async function readProtectedFile({ setting, path, isSecret }: ProtectedFile): Promise<string> {
  if (!isAbsolute(path))
    throw new TypeError(`${setting} must be the absolute path of a file, not ${JSON.stringify(path)}.`);
  const file = `The ${setting} file ${path} (FXDESK_${setting.toUpperCase()})`;
  try {
    const { uid, mode } = statSync(path);
    if (process.platform !== "win32") {
      if (![0, uid].includes(process.getuid!()) && uid !== 0)
        throw new TypeError(`${file} is owned by another user.`);
      if (mode & 0o022)
        throw new TypeError(`${file} can be changed by other users. Run \`chmod go-w ${path}\`.`);
      if (isSecret && mode & 0o044)
        throw new TypeError(`${file} can be read by other users. Run \`chmod 600 ${path}\`.`);
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof TypeError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const remedy =
      code === "ENOENT" && setting === "people" ? " Create it with `fxdesk people add <name>`." : "";
    throw new TypeError(`${file} cannot be read: ${message}.${remedy}`, { cause: error });
  }
}
