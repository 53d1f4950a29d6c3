/** Identifiers that calls created which are in no journal: whose they are, and under a seal what they are. */
import { createHash } from "node:crypto";
import type { Row, Value } from "./database";
import type { Store } from "./open";

/** Of which call an identifier came. */
export interface CreatedScope {
  readonly environment: string;
  readonly client: string;
  readonly operation: string;
}

/** What is under the seal. */
interface Content {
  readonly id: string;
  /** Of what its call asked for, what people know it by. */
  readonly given: Readonly<Record<string, unknown>>;
}

export interface KeptId extends Content {
  /** Milliseconds since 1970 by the clock of the store. */
  readonly at: number;
}

/** So many of one scope are kept, the newest. */
export const mostCreated = 200;

/** Stands for an identifier, which it does not tell, whoever created it. */
const keyOf = (environment: string, name: string, id: string): string =>
  createHash("sha256")
    .update(JSON.stringify([environment, name, id]))
    .digest("hex");

const place = (key: string) => `fxdesk_created ${key}`;

const contentOf = ({ seal }: Pick<Store, "seal">, { id, content }: Row): Content =>
  JSON.parse(seal.open(String(content), place(String(id)))) as Content;

const inScope = "environment = $1 AND client = $2 AND operation = $3";
const newest = `${inScope} ORDER BY created_at DESC, id LIMIT ${mostCreated}`;
const valuesOf = ({ environment, client, operation }: CreatedScope): Value[] => [
  environment,
  client,
  operation,
];

/** Keeps an identifier under its name, and lets those go that are too old to be among the newest. */
export async function keepCreated(
  { database, seal }: Store,
  scope: CreatedScope,
  name: string,
  content: Content,
): Promise<void> {
  const key = keyOf(scope.environment, name, content.id);
  const sealed = seal.close(JSON.stringify(content), place(key));
  await database.exclusively(async (run) => {
    await run(
      `INSERT INTO fxdesk_created (environment, client, operation, id, created_at, content)
       VALUES ($1, $2, $3, $4, ${database.now}, $5)
       ON CONFLICT (id) DO UPDATE SET client = excluded.client, operation = excluded.operation,
         created_at = excluded.created_at, content = excluded.content`,
      [...valuesOf(scope), key, sealed],
    );
    await run(
      `DELETE FROM fxdesk_created WHERE ${inScope} AND id NOT IN (SELECT id FROM fxdesk_created WHERE ${newest})`,
      valuesOf(scope),
    );
  });
}

/** Newest first. Throws where they are sealed with another key. */
export async function listCreated(store: Store, scope: CreatedScope): Promise<KeptId[]> {
  const rows = await store.database.run(`SELECT * FROM fxdesk_created WHERE ${newest}`, valuesOf(scope));
  return rows.map((row) => ({ ...contentOf(store, row), at: Number(row.created_at) }));
}

/** What it stood for has ended. */
export async function endCreated(
  { database }: Store,
  environment: string,
  name: string,
  id: string,
): Promise<void> {
  await database.run("DELETE FROM fxdesk_created WHERE id = $1", [keyOf(environment, name, id)]);
}

/** What cannot be read of them, in sentences. */
export async function unreadableCreated(store: Store): Promise<string[]> {
  const rows = await store.database.run("SELECT id, content FROM fxdesk_created");
  return rows.flatMap((row) => {
    try {
      contentOf(store, row);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** Forgets an identifier, or all of a client, and returns how many. Throws where they are sealed with another key. */
export async function forgetCreated(store: Store, idOrClient: string): Promise<number> {
  const { run } = store.database;
  const rows = await run("SELECT * FROM fxdesk_created");
  const meant = rows.filter((row) => row.client === idOrClient || contentOf(store, row).id === idOrClient);
  for (const { id } of meant) await run("DELETE FROM fxdesk_created WHERE id = $1", [id!]);
  return meant.length;
}
