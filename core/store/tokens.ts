/** The tokens of connections. What rotates belongs together: each family goes on from what was configured once. */
import type { Store } from "./open";

/** The newest pair of a family. */
export interface StoredTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Grows with each pair. */
  readonly version: number;
  /** How long the access token was good when it was kept, and how long it still is, in milliseconds. */
  readonly lifetimeMs: number;
  readonly remainingMs: number;
}

type TokenPair = Pick<StoredTokens, "accessToken" | "refreshToken" | "remainingMs">;

const sealLocation = (family: string) => `fxdesk_tokens ${family}`;

export async function loadTokens(
  { database: { run, now }, sealer }: Store,
  family: string,
): Promise<StoredTokens | undefined> {
  const [row] = await run(
    `SELECT content, version, expires_at - saved_at AS life, expires_at - ${now} AS remaining
     FROM fxdesk_tokens WHERE family = $1`,
    [family],
  );
  if (!row) return undefined;
  const content = JSON.parse(sealer.unseal(String(row.content), sealLocation(family))) as TokenPair;
  return {
    accessToken: content.accessToken,
    refreshToken: content.refreshToken,
    version: Number(row.version),
    lifetimeMs: Number(row.life),
    remainingMs: Number(row.remaining),
  };
}

export async function listTokenFamilies({ database: { run } }: Store): Promise<string[]> {
  const rows = await run("SELECT family FROM fxdesk_tokens ORDER BY family");
  return rows.map(({ family }) => String(family));
}

/**
 * Keeps the pair that follows `version`, 0 where there was none. False where another has followed it, which stays, or where
 * it was forgotten.
 */
export async function saveTokens(
  { database: { run, now }, sealer }: Store,
  family: string,
  version: number,
  { accessToken, refreshToken, remainingMs }: TokenPair,
): Promise<boolean> {
  const content = sealer.seal(JSON.stringify({ accessToken, refreshToken }), sealLocation(family));
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

export async function forgetTokens({ database: { run } }: Store, family: string): Promise<void> {
  await run("DELETE FROM fxdesk_tokens WHERE family = $1", [family]);
}

/** The access token of this version is good no longer. */
export async function expireTokens(
  { database: { run } }: Store,
  family: string,
  version: number,
): Promise<void> {
  await run("UPDATE fxdesk_tokens SET expires_at = saved_at WHERE family = $1 AND version = $2", [
    family,
    version,
  ]);
}
