/** journal.findOutcome: what became of a call, as the journal recorded it. */
import { z } from "zod";
import { CallOutcome } from "../spec/call-outcome";
import { json } from "../spec/declare";
import { day, id } from "../values/values";
import { procedure } from "./procedure";

export const findOutcome = procedure({
  name: "journal.findOutcome",
  tool: "find_outcome",
  section: { title: "Journal", icon: "approvals.svg", category: "fxdesk administration", order: 13 },
  title: "Find outcome",
  summary:
    "Finds what became of a booking, payment or change: carried out, not carried out, waiting or unknown. Use it before repeating anything.",
  icon: "font-awesome/fa-history",
  keywords: ["outcome", "went through", "duplicate", "status", "Ergebnis", "Protokoll", "ausgeführt"],
  effect: "read",
  companionOf: "money",
  resultList: "outcomes",
  uses: [],
  input: {
    quote: id("Quote ID", "Quote to be booked.").optional(),
    key: id("Key", "request_key of the call.").optional(),
    reference: id("Reference", "Trade reference.").optional(),
    id: id("ID", "Trade, payment or other ID.").optional(),
    day: day("Day", "Day of the call, UTC.").optional(),
    release: id("Release ID", "Such as R-7K3M9QW2X5AB.").optional(),
    entry: id("Journal entry", "From an earlier result or error.").optional(),
  },
  output: json(
    z.object({
      outcomes: z.array(CallOutcome).meta({ description: "Calls, newest first." }),
      complete: z.boolean().meta({ description: "False if more calls match, or may." }),
      warning: z
        .string()
        .optional()
        .meta({ description: "Reason why calls may have been made that are not listed." }),
    }),
    "What became of the calls.",
  ),
  async run({ client }, query) {
    const { outcomes, ...rest } = await client.orders.findOutcomes(query);
    return { outcomes: [...outcomes], ...rest };
  },
});
