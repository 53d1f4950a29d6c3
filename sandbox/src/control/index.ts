/** The controls: routes and dashboard. */
import { contract } from "@fxdesk/toolkit/operations";
import { dashboard } from "../dashboard/page";
import { docs } from "../dashboard/docs";
import type { ExtensionSet } from "../server/server";
import { controls } from "./controls";
import { assertSameOrigin } from "./guard";

export { controls } from "./controls";
export { controlBehaviours, type ControlPlane, controlPlane } from "./control-plane";

/** Responds in the format of the JSON interface, whatever service is simulated. */
export const controlExtensions: ExtensionSet = {
  service: { ...contract, operations: controls },
  plugins: [dashboard, docs],
  guard: assertSameOrigin,
  untracked: true,
  // Saved sandboxes can be large.
  bodyLimit: 2 ** 30,
};
