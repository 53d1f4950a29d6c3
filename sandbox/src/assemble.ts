/** Assembles a sandbox without starting to listen. */
import { contract, type Service } from "@fxdesk/toolkit/operations";
import type { FastifyInstance } from "fastify";
import type { AnyBehaviour } from "./calls/behaviour";
import { behaviours as ownBehaviours } from "./behaviours";
import { controlBehaviours, assertSameOrigin } from "./control/control-plane";
import { controls } from "./control/controls";
import { companyLogin } from "./company-login/authorization-server";
import { docs } from "./dashboard/docs";
import { dashboard } from "./dashboard/page";
import { extensionBehaviours, extensionsFor } from "./extensions";
import type { MailDelivery } from "./world/model/outbox";
import { monitoring } from "./server/monitoring";
import { buildServer, type ExtensionSet } from "./server/server";
import { DomainError } from "./world/common/domain-error";
import { type StartFork, SandboxSession } from "./session/sandbox-session";
import type { WorldSetup, SandboxState } from "./session/sandbox-state";

interface SandboxParts {
  readonly service: Service;
  /** Setup of a new world, or a saved state. */
  readonly start: WorldSetup | SandboxState;
  readonly delivery?: MailDelivery;
  /** Starts a fork on behalf of the `fork` control. By default the control is refused. */
  readonly fork?: StartFork;
  /** Handlers of custom operations, by operation name. */
  readonly behaviours?: Readonly<Record<string, AnyBehaviour>>;
}

const rejectFork: StartFork = () =>
  Promise.reject(new DomainError("not-found", "This sandbox does not support forking over its controls."));

/** Controls, dashboard, documentation and the company login to try, in the format of the JSON interface whatever service is simulated. */
const controlExtensions: ExtensionSet = {
  service: { ...contract, operations: controls },
  plugins: [dashboard, docs, monitoring, companyLogin],
  guard: assertSameOrigin,
  untracked: true,
  // Saved sandboxes can be large.
  bodyLimit: 2 ** 30,
};

export function assemble({
  service,
  start,
  delivery = {},
  fork = rejectFork,
  behaviours: extraBehaviours,
}: SandboxParts): {
  readonly app: FastifyInstance;
  readonly session: SandboxSession;
} {
  const extensions = extensionsFor(service);
  const session = new SandboxSession(
    [...service.operations, ...extensions.service.operations],
    start,
    delivery,
    fork,
  );
  const behaviours = {
    ...ownBehaviours,
    ...extensionBehaviours,
    ...controlBehaviours(session),
    ...extraBehaviours,
  };
  const app = buildServer({ service, session, behaviours }, [extensions, controlExtensions]);
  return { app, session };
}
