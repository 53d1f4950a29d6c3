/** Time pickers of form fields. */
import type { z } from "zod";
import { metaOf } from "../../core/values/kind";
import { type Precision, precisionOf } from "../shared/time-coercer";

/** Precision of a time (UTC), or a period from a first to a last day. */
export type Moment = Precision | "period";

/** Returns the picker type of a field. Undefined if it is not a time. */
export const momentOf = (schema: z.ZodType): Moment | undefined =>
  metaOf(schema).periods ? "period" : precisionOf(schema);
