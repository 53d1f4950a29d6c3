/** A halt stops all changing and money calls of every process that shares the store, until an operator ends it. */
import type { Row, Statement, StoreAccess } from "./database";
import type { Store } from "./open";
import { openRow, saveRow } from "./rows";
import { haltsTable } from "./schema";

export interface Halt {
  /** Name of the halted environment, for example `api`; undefined for all environments. */
  readonly environment: string | undefined;
  /** Milliseconds since 1970, by the clock of the store. */
  readonly at: number;
  readonly by: string;
  readonly reason: string | undefined;
}

/** Stored environment of a halt of all environments. */
const allEnvironments = "";

const parseHalt = (row: Row): Halt => ({
  environment: row.environment === allEnvironments ? undefined : String(row.environment),
  at: Number(row.halted_at),
  by: String(row.halted_by),
  reason: row.reason === null ? undefined : String(row.reason),
});

/** Describes a halt in one sentence: time, operator and reason. */
export function describeHalt({ environment, at, by, reason }: Halt): string {
  const where = environment === undefined ? "" : ` in the environment ${environment}`;
  const why = reason === undefined ? "" : ` (${reason})`;
  return `Calls that change data or move money were halted${where} at ${new Date(at).toISOString()} by ${by}${why}.`;
}

/** Thrown if a halt stops a call. */
export class Halted extends Error {
  constructor(readonly halt: Halt) {
    const environment = halt.environment === undefined ? "" : ` --environment ${halt.environment}`;
    super(`${describeHalt(halt)} To end the halt, run \`fxdesk resume${environment}\`.`);
  }
}

/** Returns the query for the halt in force for an environment, given by name with or without address. */
export const haltQuery = (environment: string): Statement => ({
  sql: "SELECT * FROM fxdesk_halts WHERE environment IN ($1, $2) ORDER BY environment LIMIT 1",
  values: [allEnvironments, environment.split(" ")[0]!],
});

/** Returns the halt in the rows of `haltQuery`. Throws if it was changed in the store. */
export const toHalt = ({ sealer }: Pick<StoreAccess, "sealer">, [row]: readonly Row[]): Halt | undefined =>
  row && parseHalt(openRow(haltsTable, row, sealer));

/** Returns the halt in force for an environment. Throws if it was changed in the store. */
export async function findHalt(access: StoreAccess, environment: string): Promise<Halt | undefined> {
  const { sql, values } = haltQuery(environment);
  return toHalt(access, await access.run(sql, values));
}

/** Starts a halt, unless one is in force for the same environment. Returns the halt in force. */
export const startHalt = (
  { database, now, sealer }: Store,
  { environment = allEnvironments, by, reason }: Omit<Halt, "at">,
): Promise<Halt> =>
  database.transaction(async (run) => {
    const known = await run("SELECT 1 FROM fxdesk_halts WHERE environment = $1", [environment]);
    const [clock] = await run(`SELECT ${now} AS moment`);
    if (known.length === 0)
      await saveRow({ run, sealer }, haltsTable, {
        environment,
        halted_at: clock!.moment!,
        halted_by: by,
        reason: reason ?? null,
      });
    return (await findHalt({ run, sealer }, environment))!;
  });

/** Ends the halt of one environment, or all halts. Returns the ended halts. */
export async function endHalts({ run }: Store, environment?: string): Promise<readonly Halt[]> {
  const rows = await run(
    `DELETE FROM fxdesk_halts ${environment === undefined ? "" : "WHERE environment = $1"} RETURNING *`,
    environment === undefined ? [] : [environment],
  );
  return rows.map(parseHalt);
}

/** Returns all halts, unchecked. */
export async function listHalts({ run }: Store): Promise<readonly Halt[]> {
  return (await run("SELECT * FROM fxdesk_halts ORDER BY environment")).map(parseHalt);
}
