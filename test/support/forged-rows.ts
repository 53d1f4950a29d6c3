/** Changes of the store by an attacker who also knows how its rows are sealed and hashed. */
import type { Row, Value } from "../../core/store/database";
import type { Store } from "../../core/store/open";
import { openRow, saveRow } from "../../core/store/rows";
import { otherTables, type Table } from "../../core/store/schema";
import type { Sealer } from "../../core/store/sealer";

/** Returns undefined if a sealed text no longer belongs to its row. */
function openUnchecked({ name, key, sealed }: Table, row: Row, sealer: Sealer): Row | undefined {
  try {
    return openRow({ name, key, ...(sealed && { sealed }) }, row, sealer);
  } catch {
    return undefined;
  }
}

/** Runs a statement and gives the changed rows a matching hash. */
export const forgeRows = (
  { database, sealer }: Pick<Store, "database" | "sealer">,
  sql: string,
  values: readonly Value[] = [],
) =>
  database.transaction(async (run) => {
    const result = await run(sql, values);
    for (const table of otherTables.filter(({ name, isHashed }) => isHashed && sql.includes(name)))
      for (const row of await run(`SELECT * FROM ${table.name}`)) {
        const opened = openUnchecked(table, row, sealer);
        if (opened) await saveRow({ run, sealer }, table, opened);
      }
    return result;
  });
