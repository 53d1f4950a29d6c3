/** The control plane: its routes and its page. */
import { contract } from "@fxdesk/toolkit/operations";
import { dashboard } from "../pages/dashboard/page";
import { docs } from "../pages/docs";
import type { ExtensionSet } from "../server";
import { controls } from "./controls";
import { assertSameOrigin } from "./guard";

export { controls } from "./controls";
export { controlBehaviours, type ControlPlane, controlPlane } from "./control-plane";

/** Answered like the JSON interface, whatever service is played. */
export const controlExtensions: ExtensionSet = {
  service: { ...contract, operations: controls },
  plugins: [dashboard, docs],
  guard: assertSameOrigin,
  untracked: true,
  // What was saved may be long.
  bodyLimit: 2 ** 30,
};
