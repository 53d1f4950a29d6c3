/** Calls that are made again with the X-Request-ID of an earlier one. */
import type { Call } from "../behaviour";
import type { Result } from "../result";
import { DomainError } from "../world/domain-error";
import { dayMs } from "../world/calendar/days";

/** How long a response is remembered. */
const retentionMs = dayMs;

/**
 * Does what is asked for, or gives the response of the company's first call with the same id and the same content. Refuses
 * the id for other content. What was refused may be tried again.
 */
export function respondOnce<R extends Result>(
  { values, client, world }: Call<{ readonly "X-Request-ID": string }>,
  content: object,
  respond: () => R,
): R {
  const { rememberedResponses: storedResponses } = world.openBanking;
  const requestId = values["X-Request-ID"].toLowerCase();
  const key = `${client.clientId} ${requestId}`;
  const requestText = JSON.stringify(content);
  const stored = storedResponses.get(key);
  if (stored && stored.asked !== requestText)
    throw new DomainError("format-error", "Something else was asked for with this X-Request-ID.", requestId);
  if (stored) return stored.result as R;
  const result = respond();
  storedResponses.set(key, { asked: requestText, result });
  world.scheduledEvents.schedule(world.timeAfter(retentionMs), "response-is-forgotten", key);
  return result;
}
