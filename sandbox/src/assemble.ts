/** Puts a sandbox together, up to the door: it does not listen yet. */
import type { Declaration } from "@fxdesk/toolkit/operations";
import type { FastifyInstance } from "fastify";
import type { AnyBehaviour } from "./behaviour";
import { behaviours as ownBehaviours } from "./behaviours";
import { controlBehaviours, controlExtensions } from "./control";
import { extensionBehaviours, extensions } from "./extensions";
import type { Delivery } from "./outbox";
import { buildServer } from "./server";
import { type Beginning, Stage } from "./stage";

export interface Parts {
  readonly operations: readonly Declaration[];
  readonly beginning: Beginning;
  readonly delivery?: Delivery;
  /** What stands behind operations of one's own, by name. */
  readonly behaviours?: Readonly<Record<string, AnyBehaviour>>;
}

export function assemble({ operations, beginning, delivery = {}, behaviours: more }: Parts): {
  readonly app: FastifyInstance;
  readonly stage: Stage;
} {
  const stage = new Stage([...operations, ...extensions.operations], beginning, delivery);
  const behaviours = {
    ...ownBehaviours,
    ...extensionBehaviours,
    ...controlBehaviours(stage),
    ...more,
  };
  const app = buildServer(operations, { stage, behaviours }, [extensions, controlExtensions]);
  return { app, stage };
}
