/** The control plane: its routes and its page. */
import { contract } from "@fxdesk/toolkit/operations";
import { dashboard } from "../pages/dashboard/page";
import { docs } from "../pages/docs";
import type { Extensions } from "../server";
import { controls } from "./controls";
import { onlyFromHere } from "./guard";

export { controls } from "./controls";
export { controlBehaviours, type ControlPlane, controlPlane } from "./in-process";

/** Answered like the JSON interface, whatever service is played. */
export const controlExtensions: Extensions = {
  service: { ...contract, operations: controls },
  pages: [dashboard, docs],
  guard: onlyFromHere,
  aside: true,
  // What was saved may be long.
  bodyLimit: 2 ** 30,
};
