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
    "Finds what became of bookings, payments and changes: carried out, not carried out, waiting, or unknown with the reference to look for. Use it before anything is repeated.",
  icon: "font-awesome/fa-history",
  notes: "Give what you know, or nothing for the newest.",
  keywords: ["outcome", "went through", "duplicate", "status", "Ergebnis", "Protokoll", "ausgeführt"],
  effect: "read",
  companionOf: "money",
  resultList: "outcomes",
  uses: [],
  input: {
    quote: id("Quote ID", "ID of the quote that was to be booked.").optional(),
    key: id("Key", "Idempotency key (request_key) of the call.").optional(),
    reference: id("Reference", "Reference of the trade.").optional(),
    id: id("ID", "Trade ID, payment ID or other ID of what was created.").optional(),
    day: day("Day", "Day of the call, UTC.").optional(),
    release: id("Release ID", "Release ID, such as R-7K3M9QW2X5AB.").optional(),
    entry: id("Journal entry", "Journal entry, from an earlier result or error.").optional(),
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
