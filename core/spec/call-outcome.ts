/** What became of a call or of a request for release: its schema, the same on every surface. */
import { z } from "zod";

const text = (description: string) => z.string().meta({ description });

export const CallOutcome = z
  .object({
    state: z.enum(["waiting", "released", "sent", "done", "rejected", "not-sent", "unknown"]).meta({
      description:
        "done: carried out. rejected, not-sent: not carried out. unknown: may have been carried out. sent: its outcome is not recorded yet. waiting, released: not sent yet.",
    }),
    description: text("What became of it, and what to look for if that is unknown."),
    operation: text("Operation that was called."),
    id: text("ID of what was created, such as a trade or payment ID.").optional(),
    what: text("Amounts and names by which people recognise it.").optional(),
    at: text("Time of the call or request, UTC."),
    known_at: text("Time at which the outcome was recorded, UTC.").optional(),
    reference: text("Reference by which the service lists it.").optional(),
    key: text("Idempotency key.").optional(),
    requested_by: text("Requester, if known.").optional(),
    environment: text("Environment, such as api or sandbox."),
    client: text("Client ID."),
    release: text("Release ID of a request that was not sent yet.").optional(),
    journal_entry: text("Journal entry.").optional(),
    result: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: "Terms of its quote and values of the response, such as rate and amounts." }),
  })
  .meta({ id: "CallOutcome", description: "What became of a call." });

export type CallOutcome = z.output<typeof CallOutcome>;
