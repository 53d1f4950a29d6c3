/** What the actions behind the controls have in common. */
import type { Declaration, ValuesOf } from "@fxdesk/toolkit/operations";
import type { StoredFile } from "../../world/stored-file";
import { DomainError } from "../../world/domain-error";
import type { Stage } from "../../stage";

type MethodOf<C> = C extends { readonly name: `sandbox.${infer M}` } ? M : never;

type BodyOf<C> = C extends { responses: { 200: { schema: { _zod: { output: infer T } } } } }
  ? T
  : C extends { responses: { 200: { kind: "file" } } }
    ? StoredFile
    : void;

/** One action for each of the controls: takes the checked values and returns the body, or throws a DomainError. */
export type ActionsOf<Controls extends readonly Declaration[]> = {
  readonly [C in Controls[number] as MethodOf<C>]: (stage: Stage, values: ValuesOf<C>) => BodyOf<C>;
};

export const missing = (what: string, id: string): DomainError =>
  new DomainError("not-found", `There is no such ${what}.`, id);
