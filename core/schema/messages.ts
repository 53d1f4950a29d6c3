/** The bodies in which the service says no. */
import { z } from "zod";

/** ErrorMessage of the JSON interface. Contract: Resources, ErrorMessage. */
export const ErrorMessage = z
  .object({
    code: z.string().meta({ description: "Error code." }),
    message: z.string().meta({ description: "Short description of the cause." }),
    details: z.string().meta({ description: "Error details." }),
  })
  .meta({ id: "ErrorMessage" });

/** The standard's own error body, answered to `Accept: application/json`. */
export const TppMessages = z
  .object({
    tppMessages: z.array(
      z.object({
        category: z.string(),
        code: z.string(),
        path: z.string().optional(),
        text: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "TppMessages" });
