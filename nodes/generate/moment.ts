/** How a form lets a time be picked: by a control of the browser, which keeps a day a day. */
import type { z } from "zod";
import { metaOf } from "../../core/schema/kind";
import { type Precision, precisionOf } from "../operation/time-coercer";

/** How exactly a time is told, in UTC, or the first and the last day of a period. */
export type Moment = Precision | "period";

/** Undefined for what tells no time. */
export const momentOf = (schema: z.ZodType): Moment | undefined =>
  metaOf(schema).periods ? "period" : precisionOf(schema);
