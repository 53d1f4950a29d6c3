/** Changes of the store by an attacker who also knows how its rows are sealed and hashed. */
import type { Value } from "../../core/store/database";
import type { Store } from "../../core/store/open";
import { openRow, saveRow } from "../../core/store/rows";
import { otherTables } from "../../core/store/schema";

/** Runs a statement and gives the changed rows a matching hash. */
export const forgeRows = (
  { database, sealer }: Pick<Store, "database" | "sealer">,
  sql: string,
  values: readonly Value[] = [],
) =>
  database.transaction(async (run) => {
    const result = await run(sql, values);
    for (const table of otherTables.filter(({ name, isHashed }) => isHashed && sql.includes(name)))
      for (const row of await run(`SELECT * FROM ${table.name}`))
        try {
          openRow(table, row, sealer);
        } catch {
          const { isHashed: _, ...plain } = table;
          await saveRow({ run, sealer }, table, openRow(plain, row, sealer));
        }
    return result;
  });
