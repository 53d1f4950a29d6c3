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
import { controls } from "./controls";

type Control = (typeof controls)[number];
type Named = { readonly [C in Control as C["name"] extends `sandbox.${infer M}` ? M : never]: C };

/** One function for each control; it returns what the control does over HTTP, or throws a Refusal. */
export type ControlPlane = {
  readonly [M in keyof Named]: (
    ...input: Partial<InputOf<Named[M]>> extends InputOf<Named[M]>
      ? [input?: InputOf<Named[M]>]
      : [input: InputOf<Named[M]>]
  ) => ReturnType<Named[M]["act"]>;
};

export const methodOf = ({ name }: Declaration): string => name.slice(name.indexOf(".") + 1);

/** A control, whatever values it takes: they are checked before. */
export type AnyControl = Declaration & { readonly act: (stage: Stage, values: never) => unknown };

/** Does what a control does with values that were not checked yet. Throws a Refusal. */
export function act(stage: Stage, control: AnyControl, input: Values): unknown {
  stage.world.catchUp();
  if (control.effect !== "read") stage.history.change();
  const violations = checkInput(control, input, stage.world.now);
  if (violations.length > 0)
    throw new Refusal(400, "validation_error", "The request does not fit.", describeViolations(violations));
  const refuse = (error: unknown): never => {
    throw answered(error);
  };
  try {
    const done = control.act(stage, withDefaults(control, input) as never);
    return done instanceof Promise ? done.catch(refuse) : done;
  } catch (error) {
    return refuse(error);
  }
}

export const controlPlane = (stage: Stage): ControlPlane =>
  Object.fromEntries(
    controls.map((control) => [methodOf(control), (input: Values = {}) => act(stage, control, input)]),
  ) as unknown as ControlPlane;

const behind =
  (stage: Stage, control: AnyControl) =>
  async ({ values }: Call) => {
    if (control.effect !== "read") stage.history.change();
    return {
      status: Number(Object.keys(control.responses)[0]),
      body: await control.act(stage, values as never),
    };
  };

/** What stands behind the routes. */
export const controlBehaviours = (stage: Stage): Readonly<Record<string, AnyBehaviour>> =>
  Object.fromEntries(controls.map((control) => [control.name, behind(stage, control)]));
