/** Error bodies of the service. */
import { z } from "zod";
import { textField } from "./response-fields";
import { TppMessage } from "./xs2a";

/** ErrorMessage of the JSON interface. Contract: Resources, ErrorMessage. */
export const ErrorMessage = z
  .object({
    code: textField("Machine-readable error code, defined by the service."),
    message: textField("Short description of the cause."),
    details: textField("Error details."),
  })
  .meta({ id: "ErrorMessage", description: "Error response of the service." });

/** Error body of the open-banking standard, sent for `Accept: application/json`. */
export const TppMessages = z
  .object({
    tppMessages: z.array(TppMessage).meta({ description: "One message per fault of the request." }),
  })
  .meta({ id: "TppMessages", description: "Error response of an open-banking interface." });
