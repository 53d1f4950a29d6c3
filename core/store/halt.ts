/** A halt: from then on nothing leaves that changes something or moves money, whoever shares the store, until it is ended. */
import type { StatementRunner, Row } from "./database";
import type { Store } from "./open";

export interface Halt {
  /** The environment that it is for, such as `api`; undefined for all. */
  readonly environment: string | undefined;
  /** Milliseconds since 1970 by the clock of the store. */
  readonly at: number;
  readonly by: string;
  readonly reason: string | undefined;
}

/** How a halt is kept that is for all environments. */
const allEnvironments = "";

const parseHalt = (row: Row): Halt => ({
  environment: row.environment === allEnvironments ? undefined : String(row.environment),
  at: Number(row.halted_at),
  by: String(row.halted_by),
  reason: row.reason === null ? undefined : String(row.reason),
});

/** Since when, by whom, why: one sentence. */
export function describeHalt({ environment, at, by, reason }: Halt): string {
  const where = environment === undefined ? "" : ` in the environment ${environment}`;
  const why = reason === undefined ? "" : ` (${reason})`;
  return `What changes something or moves money is halted${where} since ${new Date(at).toISOString()} by ${by}${why}.`;
}

/** A call that does not leave, because a halt is in force. */
export class Halted extends Error {
  constructor(readonly halt: Halt) {
    const environment = halt.environment === undefined ? "" : ` --environment ${halt.environment}`;
    super(`${describeHalt(halt)} fxdesk resume${environment} ends that.`);
  }
}

/** The halt that holds for an environment, which is given by its name, with its address after it or without. */
export async function findHalt(run: StatementRunner, environment: string): Promise<Halt | undefined> {
  const [name] = environment.split(" ");
  const [row] = await run(
    "SELECT * FROM fxdesk_halts WHERE environment IN ($1, $2) ORDER BY environment LIMIT 1",
    [allEnvironments, name!],
  );
  return row && parseHalt(row);
}

/** Throws Halted where a halt is in force. */
export async function assertNotHalted(run: StatementRunner, environment: string): Promise<void> {
  const halt = await findHalt(run, environment);
  if (halt) throw new Halted(halt);
}

/** Begins a halt; one that is in force for the same stays as it is. Returns what is in force then. */
export async function startHalt(
  { database: { run, now } }: Store,
  { environment = allEnvironments, by, reason }: Omit<Halt, "at">,
): Promise<Halt> {
  await run(
    `INSERT INTO fxdesk_halts (environment, halted_at, halted_by, reason) VALUES ($1, ${now}, $2, $3)
     ON CONFLICT (environment) DO NOTHING`,
    [environment, by, reason ?? null],
  );
  return (await findHalt(run, environment))!;
}

/** Ends the halt of one environment, or every halt. Returns those that were ended. */
export async function endHalts({ database: { run } }: Store, environment?: string): Promise<readonly Halt[]> {
  const rows = await run(
    `DELETE FROM fxdesk_halts ${environment === undefined ? "" : "WHERE environment = $1"} RETURNING *`,
    environment === undefined ? [] : [environment],
  );
  return rows.map(parseHalt);
}

export async function listHalts({ database: { run } }: Pick<Store, "database">): Promise<readonly Halt[]> {
  return (await run("SELECT * FROM fxdesk_halts ORDER BY environment")).map(parseHalt);
}
