/** The control plane: its routes and its page. */
import { dashboard } from "../pages/dashboard/page";
import type { Extensions } from "../server";
import { controls } from "./controls";
import { onlyFromHere } from "./guard";

export { controls } from "./controls";
export { controlBehaviours, type ControlPlane, controlPlane } from "./in-process";

export const controlExtensions: Extensions = {
  operations: controls,
  pages: [dashboard],
  guard: onlyFromHere,
  aside: true,
};
