/** Checks where the store file is: on a drive with file locks, and in folders in which other users cannot replace it. */
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** Magic numbers of network file systems on Linux, and of FUSE, which many network drives use. */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
  [0x01021997, "9P"],
  [0x65735546, "FUSE"],
]);

/** Returns the kind of network drive that a path is on. Undefined if it is local or undetectable. */
export function findNetworkDrive(
  path: string,
  type: number,
  platform = process.platform,
): string | undefined {
  if (platform === "win32") return /^[\\/]{2}/.test(path) ? "a share" : undefined;
  return platform === "linux" ? networkFileSystems.get(type >>> 0) : undefined;
}

async function assertLocal(path: string, folder: string): Promise<void> {
  const drive = findNetworkDrive(folder, (await statfs(folder)).type);
  if (drive)
    throw new Error(
      `${path} is on a network drive (${drive}), where file locks are unreliable. Use a local path or PostgreSQL.`,
    );
}

/** With the sticky bit, users can move only their own files. */
const sticky = 0o1000;

/**
 * Throws if another user can move the store away, which frees all keys. A group whose ID equals the user ID is that user's
 * private group.
 */
function assertPrivateFolder(path: string, folder: string): void {
  if (process.platform === "win32") return;
  const { uid, gid, mode } = statSync(folder);
  const owner = statSync(path, { throwIfNoEntry: false })?.uid;
  if (![process.getuid!(), 0, owner].includes(uid))
    throw new Error(`The folder ${folder} of the store belongs to another user. Use a folder of your own.`);
  const others = uid === gid && uid !== 0 ? 0o002 : 0o022;
  if (mode & others && !(mode & sticky))
    throw new Error(
      `Other users can replace files in the folder ${folder} of the store. Run \`chmod go-w ${folder}\`.`,
    );
}

/** Checks the folder of the path, and the folder of the file to which it links. Throws an Error that tells what to do. */
export async function assertSafeLocation(path: string): Promise<void> {
  const exists = existsSync(path);
  if (!exists && lstatSync(path, { throwIfNoEntry: false }))
    throw new Error(`${path} is a link to a file that does not exist.`);
  const folders = [realpathSync(dirname(path)), ...(exists ? [dirname(realpathSync(path))] : [])];
  for (const folder of new Set(folders)) {
    await assertLocal(path, folder);
    assertPrivateFolder(path, folder);
  }
}
