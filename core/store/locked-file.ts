/** Replaces private files atomically, one process at a time. */
import { randomBytes } from "node:crypto";
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Longest wait for another process that is updating the file. */
const lockTimeoutMs = 5_000;
/** A lock is held for milliseconds. One this old whose process has died is left over from a crash. */
const staleLockMs = 2_000;

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;

/** Returns the file behind symbolic links, which may not exist yet, so that replacing it keeps the links. */
async function resolveFile(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    return join(await realpath(dirname(path)), basename(path));
  }
}

const holderText = () => JSON.stringify({ pid: process.pid, host: hostname() });

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** True if the lock is old and its process, on this machine, has died. */
async function isStale(lock: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(lock), readFile(lock, "utf8")]);
    if (Date.now() - mtimeMs < staleLockMs) return false;
    const { pid, host } = JSON.parse(text) as { pid: number; host: string };
    return host === hostname() && !isAlive(pid);
  } catch {
    return false;
  }
}

/** Removes a lock that a crash left over. One process at a time, because another could remove the next holder's lock. */
async function removeStaleLock(lock: string): Promise<void> {
  const breaking = `${lock}.stale`;
  const file = await open(breaking, "wx", 0o600).catch(() => undefined);
  if (!file) return;
  try {
    if (await isStale(lock)) await rm(lock, { force: true });
  } finally {
    await file.close();
    await rm(breaking, { force: true });
  }
}

/** Takes the lock of a file. Returns a function that releases it. */
async function takeLock(target: string): Promise<() => Promise<void>> {
  const lock = `${target}.lock`;
  const startedAt = performance.now();
  for (;;) {
    const file = await open(lock, "wx", 0o600).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    if (file) {
      try {
        await file.writeFile(holderText());
      } finally {
        await file.close();
      }
      return () => rm(lock, { force: true });
    }
    if (await isStale(lock)) await removeStaleLock(lock);
    else if (performance.now() - startedAt > lockTimeoutMs)
      throw new Error(`${target} is locked by another process. If none is running, delete ${lock}.`);
    else await wait(5 + Math.random() * 20);
  }
}

/** Runs `work` on the file behind `path` while no other process does. The folder must exist. */
export async function withFileLock<T>(path: string, work: (target: string) => Promise<T>): Promise<T> {
  const target = await resolveFile(path);
  const releaseLock = await takeLock(target);
  try {
    return await work(target);
  } finally {
    await releaseLock();
  }
}

/** Replaces a file durably by a text that only its owner can read. Root keeps the owner of the file or its folder. */
export async function replaceFile(target: string, text: string): Promise<void> {
  const next = `${target}.${randomBytes(6).toString("hex")}.next`;
  try {
    const file = await open(next, "wx", 0o600);
    try {
      if (process.getuid?.() === 0) {
        const { uid, gid } = await stat(target).catch(() => stat(dirname(target)));
        await file.chown(uid, gid);
      }
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, target);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
