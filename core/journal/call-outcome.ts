/** What became of a call, as the journal recorded it: the same on every surface, derived from its declarations. */
import type { CallOutcome } from "../spec/call-outcome";
import { labelParts } from "../spec/created-resources";
import type { Values } from "../spec/fields";
import type { Callable, Declaration } from "../spec/operation";
import { listEntrySchema } from "../spec/result-list";
import type { Service } from "../spec/service";
import { isObject } from "../values/json";
import { shapeOf } from "../values/kind";
import { type Entry, referenceHint } from "./entry";
import { hasEnded } from "./entry-rows";

/** Returns the JSON body of a journaled call, or an empty object. */
export function parseCallBody(call: Values | undefined): Values {
  try {
    return JSON.parse(String(call?.body)) as Values;
  } catch {
    return {};
  }
}

/** Returns the names of the fields that a response of the operation may have, or an item of the list that it is found in. */
function resultFields({ responses }: Callable, lookup: Callable | undefined): ReadonlySet<string> {
  const schemas = Object.values(responses).map((each) => (each.kind === "json" ? each.schema : undefined));
  const all = [...schemas, lookup && listEntrySchema(lookup)];
  return new Set(all.flatMap((schema) => (schema ? Object.keys(shapeOf(schema)) : [])));
}

/** Returns the declared values of a response that are no objects or lists, as text. */
function resultOf(operation: Declaration, lookup: Callable | undefined, body: unknown): Values {
  const declared = resultFields(operation, lookup);
  const values = Object.entries(isObject(body) ? body : {}).filter(
    ([name, value]) => declared.has(name) && ["string", "number", "boolean"].includes(typeof value),
  );
  return Object.fromEntries(values.map(([name, value]) => [name, String(value)]));
}

function describeState({ state, reference, id }: Entry, identity: string | undefined): string {
  switch (state) {
    case "done":
      return `It was carried out${identity === undefined ? "" : `: ${identity}`}. The same call is not sent again.`;
    case "rejected":
      return "The service refused it. It was not carried out.";
    case "not-sent":
      return "It was not sent.";
    case "unknown": {
      const advice = reference === undefined ? "Ask the service." : referenceHint(reference);
      return `It may have been carried out; its outcome is unknown (journal entry ${id}). ${advice} Do not make it again before.`;
    }
    default:
      return `It is being sent; its outcome is not recorded yet (journal entry ${id}).`;
  }
}

const isoTime = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Returns the outcome of a journal entry. Details that were erased are missing. */
export function outcomeOfEntry({ operations }: Pick<Service, "operations">, entry: Entry): CallOutcome {
  const { id, environment, client, key, reference, begunAt, changedAt, ending, intent, endingDetails } =
    entry;
  const operation = operations.find(({ name }) => name === entry.operation);
  const lookup = operations.find(({ name }) => name === operation?.lookup);
  const what = operation ? labelParts(operation, parseCallBody(intent?.call)).join(", ") : "";
  const quoted = intent?.call.quoted as Values | undefined;
  const result = {
    ...quoted,
    ...(intent?.call.quotedRate as Values | undefined),
    ...(operation && entry.state === "done" && resultOf(operation, lookup, endingDetails?.body)),
  };
  const identity = ending?.identity;
  return {
    state: entry.state === "intended" ? "sent" : entry.state,
    description: describeState(entry, identity),
    operation: entry.operation,
    ...(identity !== undefined && { id: identity }),
    ...((what || quoted) && { what: what || quotedText(quoted!) }),
    at: isoTime(begunAt),
    ...(hasEnded(entry.state) && { known_at: isoTime(changedAt) }),
    ...(reference !== undefined && { reference }),
    key,
    ...(intent?.actor !== undefined && { requested_by: intent.actor }),
    environment,
    client,
    journal_entry: id,
    ...(Object.keys(result).length > 0 && { result }),
  };
}

const quotedText = ({ buy_amount, buy_currency, sell_amount, sell_currency }: Values): string =>
  `buy ${String(buy_amount)} ${String(buy_currency)}, sell ${String(sell_amount)} ${String(sell_currency)}`;
