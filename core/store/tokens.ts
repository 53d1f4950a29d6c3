/** Stored tokens. A family is the sequence of pairs that were refreshed from one configured pair. */
import type { Store } from "./open";
import { sealLocation } from "./sealer";

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

const contentLocation = (family: string) => sealLocation("fxdesk_tokens", "content", family);

export async function loadTokens(
  { run, now, sealer }: Store,
  family: string,
): Promise<StoredTokens | undefined> {
  const [row] = await run(
    `SELECT content, version, expires_at - saved_at AS life, expires_at - ${now} AS remaining
     FROM fxdesk_tokens WHERE family = $1`,
    [family],
  );
  if (!row) return undefined;
  const content = JSON.parse(sealer.unseal(String(row.content), contentLocation(family))) as TokenPair;
  return {
    accessToken: content.accessToken,
    refreshToken: content.refreshToken,
    version: Number(row.version),
    lifetimeMs: Number(row.life),
    remainingMs: Number(row.remaining),
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
export async function saveTokens(
  { run, now, sealer }: Store,
  family: string,
  version: number,
  { accessToken, refreshToken, remainingMs }: TokenPair,
): Promise<boolean> {
  const content = sealer.seal(JSON.stringify({ accessToken, refreshToken }), contentLocation(family));
  const statement =
    version === 0
      ? `INSERT INTO fxdesk_tokens (family, version, saved_at, expires_at, content)
         VALUES ($1, $2, ${now}, ${now} + $3, $4)
         ON CONFLICT (family) DO NOTHING RETURNING version`
      : `UPDATE fxdesk_tokens SET version = $2, saved_at = ${now}, expires_at = ${now} + $3, content = $4
         WHERE family = $1 AND version = $2 - 1 RETURNING version`;
  const saved = await run(statement, [family, version + 1, Math.round(remainingMs), content]);
  return saved.length > 0;
}

export async function forgetTokens({ run }: Store, family: string): Promise<void> {
  await run("DELETE FROM fxdesk_tokens WHERE family = $1", [family]);
}

/** Marks the access token of a version as expired. */
export async function expireTokens({ run }: Store, family: string, version: number): Promise<void> {
  await run("UPDATE fxdesk_tokens SET expires_at = saved_at WHERE family = $1 AND version = $2", [
    family,
    version,
  ]);
}
