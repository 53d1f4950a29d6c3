/** Building blocks of the controls. */
import { type Declaration, empty, operation, type ValuesOf } from "@fxdesk/toolkit/operations";
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

export const toNotFoundError = (kind: string, id: string): DomainError =>
  new DomainError("not-found", `The ${kind} is unknown.`, id);

/** Declares an ID. Unknown IDs, even empty ones, get 404. */
export const identifier = (title: string, description: string) => z.string().meta({ title, description });

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
  description: `${field} is required if ${other} is ${value}.`,
});

/** Rule: one of the two fields is required, and the other then not allowed. */
export const exactlyOne = (field: string, other: string) => ({
  kind: "exactly-one" as const,
  fields: [field, other],
  description: `Exactly one of ${field} and ${other} must be given.`,
});

/** Responses of controls that return nothing. */
export const emptyResponse = { 204: empty("Done.") };

const commonFields = {
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

/** Declaration of a control without the fields that all controls share or that follow from the others. */
type ControlFields = Omit<Declaration, keyof typeof commonFields | "name" | "tool" | "effect">;

/**
 * Declares a control of `sandbox.control`. `act` takes the validated values and returns the body or throws a
 * DomainError.
 */
export const control = <
  const Name extends string,
  const Fields extends ControlFields,
  Body extends BodyOf<Fields> | Promise<BodyOf<Fields>>,
>(
  name: Name,
  fields: Fields,
  act: (session: SandboxSession, values: ValuesOf<Declaration & Fields>) => Body,
) => ({
  ...operation({
    ...commonFields,
    ...fields,
    name: `sandbox.${name}`,
    tool: `sandbox_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    effect: fields.method === "GET" ? "read" : "change",
  }),
  act,
});
