/** Identifiers of created resources that the journal does not record, sealed. */
import { createHash } from "node:crypto";
import { type CallScope, inScope, scopeValues } from "./call-scope";
import type { Row } from "./database";
import type { Store } from "./open";
import { openRow, saveRow, selectRows } from "./rows";
import { resourceIdsTable } from "./schema";

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

const parseContent = ({ content }: Row): Content => JSON.parse(String(content)) as Content;

const newestQuery = `${inScope} ORDER BY created_at DESC, id LIMIT ${maxResourceIds}`;

/** Stores an identifier and deletes those beyond the newest `maxResourceIds` of its scope. */
export async function saveResourceId(
  { database, sealer }: Store,
  scope: CallScope,
  name: string,
  content: Content,
): Promise<void> {
  const { environment, client, operation } = scope;
  const id = keyOf(environment, name, content.id);
  await database.transaction(async (run) => {
    const [clock] = await run(`SELECT ${database.now} AS moment`);
    await saveRow({ run, sealer }, resourceIdsTable, {
      id,
      environment,
      client,
      operation,
      created_at: clock!.moment!,
      content: JSON.stringify(content),
    });
    await run(
      `DELETE FROM fxdesk_resource_ids WHERE ${inScope} AND id NOT IN (SELECT id FROM fxdesk_resource_ids WHERE ${newestQuery})`,
      scopeValues(scope),
    );
  });
}

/** Returns identifiers, newest first. Throws if one was changed in the store. */
export async function listResourceIds(store: Store, scope: CallScope): Promise<StoredResourceId[]> {
  const rows = await selectRows(store, resourceIdsTable, `WHERE ${newestQuery}`, scopeValues(scope));
  return rows.map((row) => ({ ...parseContent(row), at: Number(row.created_at) }));
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

/** Forgets one identifier, or all of a client, and returns their number. Throws if one was changed in the store. */
export async function forgetResourceIds(store: Store, idOrClient: string): Promise<number> {
  const rows = await store.run("SELECT * FROM fxdesk_resource_ids");
  const matching = rows.filter(
    (row) =>
      row.client === idOrClient ||
      parseContent(openRow(resourceIdsTable, row, store.sealer)).id === idOrClient,
  );
  for (const { id } of matching) await store.run("DELETE FROM fxdesk_resource_ids WHERE id = $1", [id!]);
  return matching.length;
}
