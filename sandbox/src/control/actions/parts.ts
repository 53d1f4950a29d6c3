/** What the actions behind the controls have in common. */
import type { Declaration, ValuesOf } from "@fxdesk/toolkit/operations";
import type { StoredFile } from "../../behaviour";
import { Refusal } from "../../refusal";
import type { Stage } from "../../stage";

type MethodOf<C> = C extends { readonly name: `sandbox.${infer M}` } ? M : never;

type BodyOf<C> = C extends { responses: { 200: { schema: { _zod: { output: infer T } } } } }
  ? T
  : C extends { responses: { 200: { kind: "file" } } }
    ? StoredFile
    : void;

/** One action for each of the controls: takes the checked values and returns the body, or throws a Refusal. */
export type ActionsOf<Controls extends readonly Declaration[]> = {
  readonly [C in Controls[number] as MethodOf<C>]: (stage: Stage, values: ValuesOf<C>) => BodyOf<C>;
};

export const missing = (what: string, id: string) =>
  new Refusal(404, "not_found", `There is no such ${what}.`, id);
export const conflict = (code: string, message: string) => new Refusal(409, code, message);
export const unfit = (details: string) =>
  new Refusal(400, "validation_error", "The request does not fit.", details);

/** Does what the world may not allow, and refuses it in the world's words then. */
export function attempt<T>(act: () => T, refusal: (message: string) => Refusal): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RangeError ? refusal(error.message) : error;
  }
}
