/** The controls as functions: `sandbox.control`, and behind their routes. */
import {
  checkInput,
  type Declaration,
  type InputOf,
  describeViolations,
  type Values,
  withDefaults,
} from "@fxdesk/toolkit/operations";
import type { AnyBehaviour, Call } from "../behaviour";
import { answered } from "../domain-answers";
import { Refusal } from "../refusal";
import type { Stage } from "../stage";
import { actions } from "./actions";
import { controls } from "./controls";

type Control = (typeof controls)[number];
type Named = { readonly [C in Control as C["name"] extends `sandbox.${infer M}` ? M : never]: C };

/** One function for each control; it returns what the control does over HTTP, or throws a Refusal. */
export type ControlPlane = {
  readonly [M in keyof Named]: (
    ...input: Partial<InputOf<Named[M]>> extends InputOf<Named[M]>
      ? [input?: InputOf<Named[M]>]
      : [input: InputOf<Named[M]>]
  ) => ReturnType<(typeof actions)[M]>;
};

export const methodOf = ({ name }: Declaration): string => name.slice(name.indexOf(".") + 1);

const actionOf = (control: Declaration) =>
  (actions as unknown as Readonly<Record<string, (stage: Stage, values: Values) => unknown>>)[
    methodOf(control)
  ]!;

/** Does what a control does with values that were not checked yet. Throws a Refusal. */
export function act(stage: Stage, control: Declaration, input: Values): unknown {
  stage.world.catchUp();
  const violations = checkInput(control, input, stage.world.now);
  if (violations.length > 0)
    throw new Refusal(400, "validation_error", "The request does not fit.", describeViolations(violations));
  try {
    return actionOf(control)(stage, withDefaults(control, input));
  } catch (error) {
    throw answered(error);
  }
}

export const controlPlane = (stage: Stage): ControlPlane =>
  Object.fromEntries(
    controls.map((control) => [methodOf(control), (input: Values = {}) => act(stage, control, input)]),
  ) as unknown as ControlPlane;

const behind =
  (stage: Stage, control: Declaration) =>
  ({ values }: Call) => ({
    status: Number(Object.keys(control.responses)[0]),
    body: actionOf(control)(stage, values),
  });

/** What stands behind the routes. */
export const controlBehaviours = (stage: Stage): Readonly<Record<string, AnyBehaviour>> =>
  Object.fromEntries(controls.map((control) => [control.name, behind(stage, control)]));
