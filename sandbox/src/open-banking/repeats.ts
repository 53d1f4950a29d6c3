/** Calls that are made again with the X-Request-ID of an earlier one. */
import type { Call } from "../behaviour";
import type { Result } from "../result";
import { DomainError } from "../world/domain-error";
import { dayMs } from "../world/calendar/days";

/** How long a response is remembered. */
const rememberedMs = dayMs;

/**
 * Does what is asked for, or gives the response of the company's first call with the same id and the same content. Refuses
 * the id for other content. What was refused may be tried again.
 */
export function once<R extends Result>(
  { values, client, world }: Call<{ readonly "X-Request-ID": string }>,
  content: object,
  act: () => R,
): R {
  const { rememberedResponses: answered } = world.openBanking;
  const requestId = values["X-Request-ID"].toLowerCase();
  const key = `${client.clientId} ${requestId}`;
  const asked = JSON.stringify(content);
  const first = answered.get(key);
  if (first && first.asked !== asked)
    throw new DomainError("format-error", "Something else was asked for with this X-Request-ID.", requestId);
  if (first) return first.result as R;
  const result = act();
  answered.set(key, { asked, result });
  world.agenda.schedule(world.after(rememberedMs), "response-is-forgotten", key);
  return result;
}
