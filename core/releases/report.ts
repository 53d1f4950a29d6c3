/** Report of a release, the same on every surface. */
import { z } from "zod";
import { orderTitle, summarizeTerms } from "./describe-terms";
import { CallOutcome } from "../spec/call-outcome";
import type { Release } from "./release";
import type { ReleaseState } from "./states";
import type { OrderTerms, SealedRequest } from "./terms";

const text = (description: string) => z.string().meta({ description });

export const ReleaseReport = z
  .object({
    release: text("Release ID, to read the state later."),
    state: text(
      "State: waiting (for release by a person), released, booking, booked, sent, expired, refused, cancelled, or unknown (the outcome of the booking is not known yet).",
    ),
    description: text("Explanation of the state."),
    operation: text("Operation that is executed after release."),
    environment: text("Environment, such as api or sandbox."),
    client: text("Client ID."),
    requested_by: text("Requester; absent if not known.").optional(),
    requested_at: text("Time of the request, UTC."),
    valid_until: text("Time after which the request expires, UTC."),
    summary: text("Terms in short: limit rate of an order, or number and total of payments."),
    warnings: z
      .array(z.string())
      .optional()
      .meta({ description: "What people must know before they decide, such as possible duplicates." }),
    terms: z
      .record(z.string(), z.unknown())
      .meta({ description: "Terms that are released: the order, or the fields and address of the request." }),
    seal: text("Seal: checksum of exactly these terms."),
    trade_id: text("Trade ID of the booked trade.").optional(),
    outcome: z
      .enum(["done", "rejected", "unknown"])
      .optional()
      .meta({ description: "Outcome of a sent call, once it is known; `unknown` until it is found." }),
    quotes: z.int().optional().meta({ description: "Number of quotes requested." }),
    releases_page: text(
      "Where people release the request, if the address of the releases page is set.",
    ).optional(),
    remark: text("Reason why nothing was executed yet, or why it never will be.").optional(),
    deviations: z.array(z.string()).optional().meta({
      description: "Differences between the booked trade and the order; empty if the trade was verified.",
    }),
    correlation: z
      .unknown()
      .optional()
      .meta({ description: "Correlation data of the requester, returned unchanged." }),
    journal_entry: text("Journal entry of the sent request.").optional(),
    journal: CallOutcome.optional().meta({
      description: "What became of the sent request, as the journal recorded it: rate, amounts, ID.",
    }),
  })
  .meta({ id: "ReleaseReport", description: "A request for release and its state." });

export type ReleaseReport = z.output<typeof ReleaseReport>;

/** Filter and order of a list of releases. */
export interface ReleaseListOptions {
  /** Only these states; all by default. */
  readonly states?: readonly ReleaseState[];
  /** Order: newest request first (default), or latest change first. */
  readonly newest?: "requested" | "changed";
}

/** Releases, newest first. */
export interface ReleaseReportList {
  readonly releases: readonly ReleaseReport[];
  /** True if the list is complete. At most 1,000 releases are listed. */
  readonly complete: boolean;
}

const stateDescriptions: Readonly<Record<ReleaseState, string>> = {
  waiting: "The request awaits release by a person. Nothing was sent.",
  released: "The request is released and not sent yet.",
  booking: "The booking was sent; its outcome is not known yet.",
  booked: "The trade is booked.",
  sent: "The call was sent. Repeat it to get its response.",
  expired: "The request expired. Nothing was sent.",
  refused: "A person refused the request. Nothing was sent.",
  cancelled: "The request was cancelled. Nothing was sent.",
  unknown: "The outcome of the booking is unknown. No other booking starts until it is known.",
};

const toIsoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Returns the order, or the fields of a call once: its body and headers follow from them. */
function reportedTerms(sealed: SealedRequest): Readonly<Record<string, unknown>> {
  if (sealed.kind === "order") return { ...sealed.terms };
  const { method, address, target, values } = sealed.terms;
  return { method, address, target, values };
}

export function toReleaseReport({
  id,
  state,
  sealed,
  hash,
  requestedAt,
  progress,
  entry,
}: Release): ReleaseReport {
  const { operation, environment, client, requester, validUntil, correlation } = sealed;
  const { remark, identity, quotes, deviations, outcome } = progress;
  return {
    release: id,
    state,
    description: stateDescriptions[state],
    operation,
    environment,
    client,
    ...(requester !== undefined && { requested_by: requester }),
    requested_at: toIsoTime(requestedAt),
    valid_until: toIsoTime(validUntil),
    summary: summarizeTerms(sealed),
    ...(sealed.warnings && { warnings: [...sealed.warnings] }),
    terms: reportedTerms(sealed),
    seal: hash,
    ...(identity !== undefined && sealed.kind === "order" && { trade_id: identity }),
    ...(outcome && { outcome }),
    ...(quotes !== undefined && { quotes }),
    ...(remark !== undefined && { remark }),
    ...(deviations && { deviations: [...deviations] }),
    ...(correlation !== undefined && { correlation }),
    ...(entry !== undefined && { journal_entry: entry }),
  };
}

/** Returns where people release a request; undefined if no address is set. */
export const releasePageOf = (id: string, releasesPage: string | undefined): string | undefined =>
  releasesPage && `${releasesPage.replace(/\/+$/, "")}/releases/${id}`;

/** Adds the link with which people release a waiting request. */
export function withReleasePage(report: ReleaseReport, releasesPage: string | undefined): ReleaseReport {
  const page = report.state === "waiting" ? releasePageOf(report.release, releasesPage) : undefined;
  return page === undefined ? report : { ...report, releases_page: page };
}

/** Adds what the journal recorded of the sent request, which it knows before the release does. */
export function withJournal(report: ReleaseReport, journal: CallOutcome): ReleaseReport {
  const { state, description, result } = journal;
  const isOutcome = state === "done" || state === "rejected" || state === "unknown";
  return {
    ...report,
    ...(report.state !== "booked" && { description }),
    ...(isOutcome && { outcome: state }),
    ...(typeof result?.trade_id === "string" && { trade_id: result.trade_id }),
    journal,
  };
}

/** Returns the state of a request that was not sent, in the form of the outcomes of sent calls. */
export function outcomeOfRelease(release: Release): CallOutcome {
  const { id, key } = release;
  const report = toReleaseReport(release);
  const { state, description, requested_at, operation, client, environment, requested_by } = report;
  return {
    state: state === "waiting" || state === "released" ? state : "not-sent",
    description: `${id}: ${description}`,
    operation,
    what: describeWhat(report),
    at: requested_at,
    ...(key !== id && { key }),
    ...(requested_by !== undefined && { requested_by }),
    environment,
    client,
    release: id,
  };
}

/** Returns what is requested: amounts, and the limit of an order. */
export const describeWhat = ({ terms, summary }: Pick<ReleaseReport, "terms" | "summary">): string =>
  terms.fixed_side === undefined ? summary : `${orderTitle(terms as unknown as OrderTerms)} (${summary})`;
