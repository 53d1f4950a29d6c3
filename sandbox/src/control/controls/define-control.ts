/** Building blocks of the controls. */
import type { Declaration, ValuesOf } from "@fxdesk/toolkit/operations";
import { ErrorMessage } from "@fxdesk/toolkit/schema";
import { z } from "zod";
import type { SandboxSession } from "../../session/sandbox-session";
import { DomainError } from "../../world/common/domain-error";
import type { StoredFile } from "../../world/model/outbox";

type BodyOf<C> = C extends { responses: { 200: { schema: { _zod: { output: infer T } } } } }
  ? T
  : C extends { responses: { 200: { kind: "file" } } }
    ? StoredFile
    : void;

/**
 * Defines a control: its declaration, and the function that takes the validated values and returns the body or throws a
 * DomainError.
 */
export const defineControl = <C extends Declaration, Body extends BodyOf<C> | Promise<BodyOf<C>>>(
  declaration: C,
  act: (session: SandboxSession, values: ValuesOf<C>) => Body,
) => ({ ...declaration, act });

export const toNotFoundError = (kind: string, id: string): DomainError =>
  new DomainError("not-found", `The ${kind} is unknown.`, id);

export const withDescription = (description: string, example?: string | number) => ({
  description,
  ...(example !== undefined && { examples: [example] }),
});
const isTime = (value: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(value) && !Number.isNaN(Date.parse(value));
export const Time = z
  .string()
  .refine(isTime, "must be a UTC time like 2026-01-31T09:30:00Z")
  .meta({ format: "date-time", examples: ["2026-01-31T09:30:00Z"] });

/** Limits for one clock move and for the delay of a statement. */
export const maxDays = 366;
export const maxSeconds = maxDays * 86_400;

/** Rule: `field` is required if `other` has the value. */
export const requiredWith = (field: string, other: string, value: string) => ({
  kind: "needed-by" as const,
  fields: [field],
  other,
  values: [value],
  description: `${field} is needed with ${other} ${value}.`,
});

/** Defaults of every control. */
export const controlDefaults = {
  effect: "change",
  server: "service",
  credentials: [],
  errors: {
    400: ["The request is invalid.", ErrorMessage],
    403: ["The request comes from another web page.", ErrorMessage],
    404: ["The resource is unknown.", ErrorMessage],
    409: ["The current state does not allow the change.", ErrorMessage],
  },
  contract: "not shown",
} as const;
