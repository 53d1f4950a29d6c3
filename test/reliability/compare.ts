/** How the cells of the matrix are tried: a call of each kind meets a fault, and shows what its cell says. */
import { withoutBackoff } from "../core/support/against";
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
import { sceneOf } from "./surfaces";

export const triedOn = (surface: Surface) =>
  faultNames.filter((name) => ((matrix[name] as Row).on ?? [surface]).includes(surface));

export type Shown = Readonly<Record<string, unknown>>;

/** Runs the calls of all kinds under a fault at once; what each shows must be as its cell expects. */
export async function compare(
  name: FaultName,
  show: (scene: Awaited<ReturnType<typeof sceneOf>>) => Promise<Shown>,
  expected: (cell: Cell, kind: Kind) => Shown,
): Promise<void> {
  withoutBackoff();
  const shown = await Promise.all(
    kinds.map(async (kind) => {
      const scene = await sceneOf(name, kind);
      const seen = await show(scene);
      return { kind, ...seen, requests: scene.requests() };
    }),
  );
  const { cells }: Row = matrix[name];
  expect(shown).toEqual(
    kinds.map((kind, index) => ({
      kind,
      ...expected(cells[kind], kind),
      // Who cannot be reached counts no requests.
      requests: shown[index]!.requests === undefined ? undefined : cells[kind].attempts,
    })),
  );
}
