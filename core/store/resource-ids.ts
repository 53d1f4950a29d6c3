/** Identifiers of created resources that the journal does not record, sealed. */
import { createHash } from "node:crypto";
import { type CallScope, inScope, scopeValues } from "./call-scope";
import type { Row } from "./database";
import type { Store } from "./open";
import { sealLocation } from "./sealer";

/** The sealed content. */
interface Content {
  readonly id: string;
  /** Input fields of the call by which people recognise the resource. */
  readonly given: Readonly<Record<string, unknown>>;
}

interface StoredResourceId extends Content {
  /** Milliseconds since 1970, by the clock of the store. */
  readonly at: number;
}

/** Number of identifiers stored per scope; older ones are deleted. */
export const maxResourceIds = 200;

/** Hashes an identifier, so that the key does not reveal it. Independent of the client. */
const keyOf = (environment: string, name: string, id: string): string =>
  createHash("sha256")
    .update(JSON.stringify([environment, name, id]))
    .digest("hex");

const contentLocation = (key: string) => sealLocation("fxdesk_resource_ids", "content", key);

const unsealContent = ({ sealer }: Pick<Store, "sealer">, { id, content }: Row): Content =>
  JSON.parse(sealer.unseal(String(content), contentLocation(String(id)))) as Content;

const newestQuery = `${inScope} ORDER BY created_at DESC, id LIMIT ${maxResourceIds}`;

/** Stores an identifier and deletes those beyond the newest `maxResourceIds` of its scope. */
export async function saveResourceId(
  { database, sealer }: Store,
  scope: CallScope,
  name: string,
  content: Content,
): Promise<void> {
  const key = keyOf(scope.environment, name, content.id);
  const sealed = sealer.seal(JSON.stringify(content), contentLocation(key));
  await database.transaction(async (run) => {
    await run(
      `INSERT INTO fxdesk_resource_ids (environment, client, operation, id, created_at, content)
       VALUES ($1, $2, $3, $4, ${database.now}, $5)
       ON CONFLICT (id) DO UPDATE SET client = excluded.client, operation = excluded.operation,
         created_at = excluded.created_at, content = excluded.content`,
      [...scopeValues(scope), key, sealed],
    );
    await run(
      `DELETE FROM fxdesk_resource_ids WHERE ${inScope} AND id NOT IN (SELECT id FROM fxdesk_resource_ids WHERE ${newestQuery})`,
      scopeValues(scope),
    );
  });
}

/** Returns identifiers, newest first. Throws if they were sealed with another key. */
export async function listResourceIds(store: Store, scope: CallScope): Promise<StoredResourceId[]> {
  const rows = await store.run(`SELECT * FROM fxdesk_resource_ids WHERE ${newestQuery}`, scopeValues(scope));
  return rows.map((row) => ({ ...unsealContent(store, row), at: Number(row.created_at) }));
}

/** Removes the identifier of a resource that no longer exists. */
export async function removeResourceId(
  { run }: Store,
  environment: string,
  name: string,
  id: string,
): Promise<void> {
  await run("DELETE FROM fxdesk_resource_ids WHERE id = $1", [keyOf(environment, name, id)]);
}

/** Returns one sentence for each identifier that cannot be read. */
export async function listUnreadableResourceIds(store: Store): Promise<string[]> {
  const rows = await store.run("SELECT id, content FROM fxdesk_resource_ids");
  return rows.flatMap((row) => {
    try {
      unsealContent(store, row);
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  });
}

/** Forgets one identifier, or all of a client, and returns their number. Throws if they were sealed with another key. */
export async function forgetResourceIds(store: Store, idOrClient: string): Promise<number> {
  const rows = await store.run("SELECT * FROM fxdesk_resource_ids");
  const matching = rows.filter(
    (row) => row.client === idOrClient || unsealContent(store, row).id === idOrClient,
  );
  for (const { id } of matching) await store.run("DELETE FROM fxdesk_resource_ids WHERE id = $1", [id!]);
  return matching.length;
}
