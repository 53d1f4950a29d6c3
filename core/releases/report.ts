/** How what waits for a yes stands, as every surface tells it. */
import { z } from "zod";
import { type Release, type ReleaseState } from "./release";

const text = (description: string) => z.string().meta({ description });

export const ReleaseReport = z
  .object({
    release: text("Identifies it: give it to ask again how it stands."),
    state: text(
      "waiting for a person's yes; released; booking; booked; sent; expired; refused; cancelled; or unknown: nobody knows yet what became of its booking.",
    ),
    description: text("How it stands, in words."),
    operation: text("What is done once it is released."),
    environment: text("Where."),
    client: text("For which client."),
    asked_by: text("Who asked; absent where nobody said so.").optional(),
    asked_at: text("When, in UTC."),
    valid_until: text("Nothing is done later than this, in UTC."),
    terms: z
      .record(z.string(), z.unknown())
      .meta({ description: "What is released: the order, or the call as it leaves." }),
    seal: text("What stands for exactly these terms: one changed character makes it another."),
    trade_id: text("The booked trade.").optional(),
    quotes: z.int().optional().meta({ description: "How many quotes were asked for." }),
    remark: text("Why nothing was done yet, or never.").optional(),
    deviations: z.array(z.string()).optional().meta({
      description: "What of the booked trade is not as the order says. Empty: it was read back and is.",
    }),
    correlation: z.unknown().optional().meta({ description: "What whoever asked gave to be told again." }),
    journal_entry: text("Where the journal has the call that left.").optional(),
  })
  .meta({ id: "ReleaseReport", description: "What waits for a person's yes, and how it stands." });

export type ReleaseReport = z.output<typeof ReleaseReport>;

/** Which releases are listed. */
export interface ListedReleases {
  /** Those that stand so; all by default. */
  readonly states?: readonly ReleaseState[];
  /** Whether those come first that were asked for last, which is the default, or those that have changed last. */
  readonly newest?: "asked" | "changed";
}

/** Releases, newest first. */
export interface ReleaseReports {
  readonly releases: readonly ReleaseReport[];
  /** Whether these are all: at most 1,000 are listed. */
  readonly complete: boolean;
}

const words: Readonly<Record<ReleaseState, string>> = {
  waiting: "It waits for a person's yes. Nothing was sent.",
  released: "It is released, and nothing has left yet.",
  booking: "A booking has left, and its end is not known yet.",
  booked: "The trade is booked.",
  sent: "The call has left; the journal has what became of it.",
  expired: "It has expired, and nothing was done.",
  refused: "A person has refused it, and nothing was done.",
  cancelled: "It was cancelled, and nothing was done.",
  unknown: "It is unknown what became of its booking. No other is begun until that is known.",
};

const time = (milliseconds: number): string => new Date(milliseconds).toISOString();

export function reportOf({ id, state, sealed, hash, askedAt, progress, entry }: Release): ReleaseReport {
  const { operation, environment, client, asker, validUntil, terms, correlation } = sealed;
  const { remark, identity, quotes, deviations } = progress;
  return {
    release: id,
    state,
    description: words[state],
    operation,
    environment,
    client,
    ...(asker !== undefined && { asked_by: asker }),
    asked_at: time(askedAt),
    valid_until: time(validUntil),
    terms: { ...terms },
    seal: hash,
    ...(identity !== undefined && { trade_id: identity }),
    ...(quotes !== undefined && { quotes }),
    ...(remark !== undefined && { remark }),
    ...(deviations && { deviations: [...deviations] }),
    ...(correlation !== undefined && { correlation }),
    ...(entry !== undefined && { journal_entry: entry }),
  };
}
