/**
 * Random attacks: edits of the store, invalid policies, other spellings of amounts, races and killed processes. The
 * sandbox's own records show that no money was sent without its release, twice or beyond a limit, and that no caller heard a
 * false outcome. FXDESK_ATTACKS sets the number of attacks on each engine. FXDESK_SEED sets the seed of the first attack; a
 * failure shows its own seed, with which FXDESK_ATTACKS=1 repeats it alone.
 */
import { seededRandom } from "../../chaos/seeded-random";
import { engines } from "../store/engines";
import { AttackScene } from "./attack-scene";
import { attacks } from "./attack-table";

const count = Number(process.env.FXDESK_ATTACKS ?? 20);
const firstSeed = Number(process.env.FXDESK_SEED ?? 20_261_126);

const weights = Object.fromEntries(
  Object.entries(attacks).map(([name, { weight }]) => [name, weight]),
) as Record<keyof typeof attacks, number>;
const list = Array.from({ length: count }, (_, index) => {
  const chance = seededRandom(firstSeed + index);
  return { seed: firstSeed + index, chance, name: chance.pick(weights) };
});

describe.each(engines())("$name", ({ create }) => {
  test.each(list)("seed $seed: $name", async ({ seed, chance, name }) => {
    const scene = await AttackScene.create(await create(), chance);
    const earlier = await scene.prepare();
    const what = await attacks[name].apply(scene, earlier);
    await scene.settle();
    expect({ seed, what, problems: scene.problems }).toEqual({ seed, what, problems: [] });
  });
});
