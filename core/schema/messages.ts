/** The bodies in which the service says no. */
import { z } from "zod";
import { textField } from "./response-fields";
import { TppMessage } from "./xs2a";

/** ErrorMessage of the JSON interface. Contract: Resources, ErrorMessage. */
export const ErrorMessage = z
  .object({
    code: textField("Error code, for programs; the service chooses its values."),
    message: textField("Short description of the cause."),
    details: textField("What more there is to know of the error."),
  })
  .meta({ id: "ErrorMessage", description: "Why the service did not do what was asked." });

/** The standard's own error body, answered to `Accept: application/json`. */
export const TppMessages = z
  .object({
    tppMessages: z.array(TppMessage).meta({ description: "Each thing that is wrong with the request." }),
  })
  .meta({ id: "TppMessages", description: "Why an open-banking interface did not do what was asked." });
