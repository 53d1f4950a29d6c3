/** Puts a sandbox together, up to the door: it does not listen yet. */
import type { Service } from "@fxdesk/toolkit/operations";
import type { FastifyInstance } from "fastify";
import type { AnyBehaviour } from "./behaviour";
import { behaviours as ownBehaviours } from "./behaviours";
import { controlBehaviours, controlExtensions } from "./control";
import { extensionBehaviours, extensionsFor } from "./extensions";
import type { Delivery } from "./world/outbox";
import { buildServer } from "./server";
import { DomainError } from "./world/domain-error";
import { type Fork, Stage } from "./stage";
import type { Beginning, StageState } from "./stage-state";

export interface Parts {
  readonly service: Service;
  /** A new world, or a state to go on from. */
  readonly start: Beginning | StageState;
  readonly delivery?: Delivery;
  /** How a control forks; without it none does. */
  readonly fork?: Fork;
  /** What stands behind operations of one's own, by name. */
  readonly behaviours?: Readonly<Record<string, AnyBehaviour>>;
}

const noFork: Fork = () =>
  Promise.reject(new DomainError("not-found", "This sandbox cannot be forked over its controls."));

export function assemble({ service, start, delivery = {}, fork = noFork, behaviours: more }: Parts): {
  readonly app: FastifyInstance;
  readonly stage: Stage;
} {
  const extensions = extensionsFor(service);
  const stage = new Stage([...service.operations, ...extensions.service.operations], start, delivery, fork);
  const behaviours = {
    ...ownBehaviours,
    ...extensionBehaviours,
    ...controlBehaviours(stage),
    ...more,
  };
  const app = buildServer({ service, stage, behaviours }, [extensions, controlExtensions]);
  return { app, stage };
}
