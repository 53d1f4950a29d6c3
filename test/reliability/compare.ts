/** Runs a call of each kind under a fault and compares the result with its cell. */
import { disableBackoff } from "../core/support/client-fixtures";
import {
  type Cell,
  type FaultName,
  faultNames,
  type Kind,
  kinds,
  matrix,
  type Row,
  type Surface,
} from "./matrix";
import { createScene } from "./surfaces";

export const faultsOn = (surface: Surface) =>
  faultNames.filter((name) => ((matrix[name] as Row).on ?? [surface]).includes(surface));

export type Observation = Readonly<Record<string, unknown>>;

/** Runs the calls of all kinds concurrently; each result must match its cell. */
export async function compare(
  name: FaultName,
  show: (scene: Awaited<ReturnType<typeof createScene>>) => Promise<Observation>,
  expected: (cell: Cell, kind: Kind) => Observation,
): Promise<void> {
  disableBackoff();
  const shown = await Promise.all(
    kinds.map(async (kind) => {
      const scene = await createScene(name, kind);
      const seen = await show(scene);
      return { kind, ...seen, requests: scene.requests() };
    }),
  );
  const { cells }: Row = matrix[name];
  expect(shown).toEqual(
    kinds.map((kind, index) => ({
      kind,
      ...expected(cells[kind], kind),
      // An unreachable server counts no requests.
      requests: shown[index]!.requests === undefined ? undefined : cells[kind].attempts,
    })),
  );
}
