/** Worlds without a server, whose clock the test moves. */
import { createClock } from "../../../sandbox/src/world/common/clock";
import { createWorld } from "../../../sandbox/src/world/create-world";
import { Outbox } from "../../../sandbox/src/world/model/outbox";
import type { World } from "../../../sandbox/src/world/model/world";
import { seedDemoWorld } from "../../../sandbox/src/world/seed/demo-world";

const create = (time: Date | string, seed: string): World =>
  createWorld({ clock: createClock({ kind: "stepped", time: new Date(time) }), seed, outbox: new Outbox() });

/** Creates an empty world. */
export function worldAt(time: Date | string, seed = "world"): World {
  const world = create(time, seed);
  world.runDueEvents();
  return world;
}

/** Creates the world of the demo company. */
export function demoWorldAt(time: Date | string, seed = "world", days?: number): World {
  const world = create(time, seed);
  seedDemoWorld(world, days);
  return world;
}
