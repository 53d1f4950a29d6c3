/**
 * Checkpoints: heads of the hash chain that this machine has seen, kept outside the database. A store that does not contain
 * them was restored, replaced or copied, so that it may not know calls that were sent.
 *
 * Each checkpoint is a file whose name is its content. Creating it is atomic, and a process deletes only lower checkpoints, so
 * processes that write side by side cannot lower the highest one.
 */
import { createHash } from "node:crypto";
import { readdirSync, realpathSync } from "node:fs";
import { mkdir, open, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkpointFolders, isPostgres, type StoreSettings } from "../store/settings";
import type { ChainHead } from "./hash-chain";

/** Identifies an environment in the name of a file. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16);

/** Returns the digest of a location, without user and password. Variables of PostgreSQL replace missing parts of the URL. */
function digestLocation(location: string): string {
  if (!isPostgres(location)) return digest(realpathSync(location));
  const { host, pathname, search } = new URL(location);
  const { PGHOST, PGPORT, PGDATABASE } = process.env;
  return digest(JSON.stringify([host, pathname, search, PGHOST, PGPORT, PGDATABASE]));
}

/** Name of a checkpoint: digest of the location, ID of the store, digest of the environment, number and hash of the event. */
const namePattern = /^([0-9a-f]{16})\.([0-9a-f-]{36})\.([0-9a-f]{16})\.(\d{1,15})\.([0-9a-f]{64})$/;

export interface Checkpoint extends ChainHead {
  /** Digest of the environment whose chain has the event. */
  readonly chain: string;
  readonly folder: string;
  readonly name: string;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Makes new names in a folder survive a power failure. Windows cannot and does not need to. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

const isUnwritable = ({ code = "" }: NodeJS.ErrnoException): boolean =>
  ["EACCES", "EPERM", "EROFS"].includes(code);

/** The checkpoints of the store at one location: those of the location and those of the store's ID, which copies share. */
export class Checkpoints {
  readonly #folders: readonly string[];
  readonly #location: string;
  /** Heads that are not on disk yet, by store and chain. */
  readonly #pending = new Map<string, ChainHead>();
  #lastWrite: Promise<void> = Promise.resolve();
  /** Starts after the last write. All heads that are noted until then wait for it, and their calls go on together. */
  #nextWrite: Promise<void> | undefined;

  /** The store must exist. */
  constructor(settings: StoreSettings) {
    this.#folders = checkpointFolders(settings);
    this.#location = digestLocation(settings.location);
  }

  /** Does not wait, because it runs in transactions. */
  list(storeId: string): readonly Checkpoint[] {
    return this.#folders.flatMap((folder) =>
      namesIn(folder).flatMap((name): Checkpoint[] => {
        const [, location, id, chain, seq, hash] = namePattern.exec(name) ?? [];
        const isOurs = location === this.#location || id === storeId;
        return isOurs && hash !== undefined ? [{ folder, name, chain: chain!, seq: Number(seq), hash }] : [];
      }),
    );
  }

  /** Keeps a head, which must be durable in the store, and deletes lower checkpoints. Resolves when it is on disk. */
  note(storeId: string, environment: string, head: ChainHead): Promise<void> {
    const chain = `${storeId}.${digest(environment)}`;
    const other = this.#pending.get(chain);
    this.#pending.set(chain, other && other.seq > head.seq ? other : head);
    this.#nextWrite ??= this.#lastWrite
      .catch(() => undefined)
      .then(() => {
        this.#lastWrite = this.#nextWrite!;
        this.#nextWrite = undefined;
        return this.#writePending();
      });
    return this.#nextWrite;
  }

  /** One write covers all heads that were noted during the previous one. */
  async #writePending(): Promise<void> {
    for (const [chain, head] of this.#pending) {
      await this.#write(chain, head);
      if (this.#pending.get(chain) === head) this.#pending.delete(chain);
    }
  }

  async #write(chain: string, { seq, hash }: ChainHead): Promise<void> {
    const prefix = `${this.#location}.${chain}.`;
    const folder = await this.#create(`${prefix}${seq}.${hash}`);
    await this.remove(
      this.list(chain.split(".")[0]!).filter(
        (each) => each.folder === folder && each.name.startsWith(prefix) && each.seq < seq,
      ),
    );
  }

  /** Creates a file in the first folder that can be written. Returns the folder. */
  async #create(name: string): Promise<string> {
    let failure: unknown;
    for (const folder of this.#folders)
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await writeFile(join(folder, name), "", { mode: 0o600 });
        await syncFolder(folder);
        return folder;
      } catch (error) {
        if (!isUnwritable(error as NodeJS.ErrnoException)) throw error;
        failure = error;
      }
    throw failure;
  }

  async remove(checkpoints: readonly Checkpoint[]): Promise<void> {
    await Promise.all(checkpoints.map(({ folder, name }) => rm(join(folder, name), { force: true })));
  }
}
