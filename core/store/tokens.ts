/** Stored tokens. A family is the sequence of pairs that were refreshed from one configured pair. */
import type { Row, StoreAccess } from "./database";
import type { Store } from "./open";
import { saveRow, selectRows } from "./rows";
import { tokensTable } from "./schema";

/** The newest pair of a family. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Incremented by each pair. */
  readonly version: number;
  /** Lifetime of the access token when it was stored, and its remaining lifetime, in milliseconds. */
  readonly lifetimeMs: number;
  readonly remainingMs: number;
}

type TokenPair = Pick<StoredTokens, "accessToken" | "refreshToken" | "remainingMs">;

/** Returns the row of a family. Throws if it was changed in the store. */
const findRow = async (access: StoreAccess, family: string): Promise<Row | undefined> =>
  (await selectRows(access, tokensTable, "WHERE family = $1", [family]))[0];

async function readClock({ run, now }: Pick<Store, "run" | "now">): Promise<number> {
  const [row] = await run(`SELECT ${now} AS moment`);
  return Number(row!.moment);
}

export async function loadTokens(store: Store, family: string): Promise<StoredTokens | undefined> {
  const row = await findRow(store, family);
  if (!row) return undefined;
  const content = JSON.parse(String(row.content)) as TokenPair;
  return {
    accessToken: content.accessToken,
    refreshToken: content.refreshToken,
    version: Number(row.version),
    lifetimeMs: Number(row.expires_at) - Number(row.saved_at),
    remainingMs: Number(row.expires_at) - (await readClock(store)),
  };
}

export async function listTokenFamilies({ run }: Store): Promise<string[]> {
  const rows = await run("SELECT family FROM fxdesk_tokens ORDER BY family");
  return rows.map(({ family }) => String(family));
}

/**
 * Stores the pair that follows `version`; 0 for the first. Returns false if another pair already followed it, or the family was
 * forgotten.
 */
export const saveTokens = (
  { database, now, sealer }: Store,
  family: string,
  version: number,
  { accessToken, refreshToken, remainingMs }: TokenPair,
): Promise<boolean> =>
  database.transaction(async (run) => {
    const known = await findRow({ run, sealer }, family);
    if (Number(known?.version ?? 0) !== version) return false;
    const savedAt = await readClock({ run, now });
    await saveRow({ run, sealer }, tokensTable, {
      family,
      version: version + 1,
      saved_at: savedAt,
      expires_at: savedAt + Math.round(remainingMs),
      content: JSON.stringify({ accessToken, refreshToken }),
    });
    return true;
  });

export async function forgetTokens({ run }: Store, family: string): Promise<void> {
  await run("DELETE FROM fxdesk_tokens WHERE family = $1", [family]);
}

/** Marks the access token of a version as expired. */
export const expireTokens = ({ database, sealer }: Store, family: string, version: number): Promise<void> =>
  database.transaction(async (run) => {
    const row = await findRow({ run, sealer }, family);
    if (row && Number(row.version) === version)
      await saveRow({ run, sealer }, tokensTable, { ...row, expires_at: row.saved_at! });
  });
