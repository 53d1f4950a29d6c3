/** The policy file: which calls and orders need release, by whom, and within which limits. */
import { Big } from "big.js";
import { z } from "zod";
import { lineOfSyntaxError, lineNumbersByPath } from "./json-positions";
import type { People } from "./people";
import { readProtectedFile } from "./protected-file";

const Name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u, "must be a name of letters, digits and . _ @ -")
  .meta({ description: "Name of a person or program, as FXDESK_ACTOR gives it." });

const Amount = z
  .string()
  .regex(/^\d{1,14}(\.\d{1,4})?$/, 'must be a decimal amount as text, such as "250000"')
  .meta({ description: "Decimal amount as a string, in the currency of `amounts`." });

const Rate = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,10})?$/, 'must be a decimal rate as text, such as "0.92"')
  .refine((text) => /[1-9]/.test(text), "must be more than zero");

const Currency = z.string().regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR");

const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone }).format();
    return true;
  } catch {
    return false;
  }
};

const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time as HH:MM");

const Rule = z
  .strictObject({
    effects: z
      .array(z.enum(["change", "money"]))
      .min(1)
      .optional()
      .meta({
        description:
          "Applies to calls with one of these effects; default `money` if neither effects nor operations are given.",
      }),
    operations: z
      .array(z.string())
      .min(1)
      .optional()
      .meta({ description: "Applies to calls of these operations, and to orders with trades.order." }),
    above: Amount.optional().meta({
      description:
        "Applies above this amount, in the currency of `amounts`. An unknown amount exceeds every limit.",
    }),
    yes: z.int().min(1).max(10).default(1).meta({ description: "Number of people who must release." }),
    from: z
      .array(Name)
      .min(1)
      .optional()
      .meta({ description: "People who may release; default everyone in `people`." }),
  })
  .meta({ description: "A rule for release. All matching rules apply." });

export const Policy = z
  .strictObject({
    $schema: z.string().optional(),
    people: z.array(Name).min(1).meta({
      description:
        "Everyone who may request or release. People who release need a secret in the people file.",
    }),
    deputies: z
      .record(Name, z.array(Name).min(1))
      .default({})
      .meta({ description: "Deputies per person; a person and their deputies count as one release." }),
    rules: z.array(Rule).default([]),
    yesLastsMinutes: z
      .int()
      .min(1)
      .max(525_600)
      .default(60)
      .meta({ description: "Minutes for which a release is valid; default 60." }),
    timeZone: z
      .string()
      .refine(isTimeZone, "must be a time zone, such as Europe/Brussels")
      .default("UTC")
      .meta({ description: "Time zone of days and hours." }),
    amounts: z
      .strictObject({
        currency: Currency.meta({ description: "Currency in which amounts are compared and summed." }),
        rates: z
          .record(Currency, Rate)
          .default({})
          .meta({ description: "Price in `currency` of one unit of each other currency." }),
      })
      .optional()
      .meta({ description: "Currency and rates for comparing amounts." }),
    limits: z
      .strictObject({ perTrade: Amount.optional(), perDay: Amount.optional() })
      .optional()
      .meta({ description: "Limits that no order or call may exceed. Calls with an unknown outcome count." }),
    pairs: z
      .array(z.string().regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD"))
      .min(1)
      .optional()
      .meta({ description: "Currency pairs that may be ordered, in either direction; default all." }),
    types: z
      .array(z.string())
      .min(1)
      .optional()
      .meta({ description: "Trade types that may be ordered; default all." }),
    clients: z
      .array(z.string())
      .min(1)
      .optional()
      .meta({ description: "Client IDs for which requests may be sent; default all." }),
    hours: z
      .strictObject({
        days: z
          .array(z.enum(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]))
          .min(1)
          .default(["Mon", "Tue", "Wed", "Thu", "Fri"]),
        from: Time,
        to: Time,
      })
      .optional()
      .meta({ description: "Days and hours at which requests may be sent; default always." }),
    quoteEverySeconds: z
      .number()
      .min(0.05)
      .max(3_600)
      .default(10)
      .meta({ description: "Seconds between two quotes for an order; default 10." }),
  })
  .superRefine((policy, context) => {
    const addIssue = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    const checkKnown = (name: string, path: PropertyKey[]) => {
      if (!policy.people.includes(name)) addIssue(path, `names ${name}, who is not listed in people`);
    };
    policy.rules.forEach(({ from, yes, above }, index) => {
      from?.forEach((name, position) => checkKnown(name, ["rules", index, "from", position]));
      const eligible = from ?? policy.people;
      if (new Set(eligible).size < yes)
        addIssue(
          ["rules", index, "yes"],
          `requires ${yes} people, but only ${new Set(eligible).size} may release`,
        );
      if (above !== undefined && !policy.amounts)
        addIssue(["rules", index, "above"], "`above` also requires `amounts`");
    });
    for (const [name, deputies] of Object.entries(policy.deputies)) {
      checkKnown(name, ["deputies", name]);
      deputies.forEach((deputy, position) => checkKnown(deputy, ["deputies", name, position]));
    }
    if (policy.limits && !policy.amounts) addIssue(["limits"], "`limits` also requires `amounts`");
    if (policy.hours && policy.hours.from >= policy.hours.to)
      addIssue(["hours", "to"], "must be later than from");
  })
  .meta({ id: "Policy", description: "Rules and limits for requests that a person must release." });

export type PolicyRule = z.output<typeof Rule>;
export type Policy = z.output<typeof Policy>;

/** Returns the policy used if none is set but release is requested: every money call needs one approval by anyone else. */
export const defaultMoneyPolicy = ({ secrets }: People, requester: string | undefined): Policy => {
  const people = new Set(Object.keys(secrets));
  if (requester !== undefined) people.add(requester);
  return Policy.parse({ people: [...people], rules: [{ effects: ["money"] }] });
};

/** Parses a policy. Throws a TypeError that lists each fault with line, field and rule. */
export function parsePolicy(json: string, path: string): Policy {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (error) {
    throw new TypeError(
      `policy: ${path}, line ${lineOfSyntaxError(json, error as Error)}: ${(error as Error).message}.`,
      { cause: error },
    );
  }
  const { data, error } = Policy.safeParse(given);
  if (data) return data;
  const lines = lineNumbersByPath(json);
  const faults = error.issues.map((issue) => {
    const field = issue.path.join(".");
    // A missing field has no line; use that of its parent.
    const line = lines.get(field) ?? lines.get(issue.path.slice(0, -1).join(".")) ?? 1;
    return `line ${line}${field && `, ${field}`}: ${issue.message}`;
  });
  throw new TypeError(`policy: ${path} is invalid: ${faults.join("; ")}.`);
}

/** Loads a policy. Throws a TypeError that starts with the setting. */
export const loadPolicy = async (path: string): Promise<Policy> =>
  parsePolicy(await readProtectedFile({ setting: "policy", path, isSecret: false }), path);

/** Returns the sum in the policy's currency, or undefined if a rate is missing. */
export function toPolicyCurrency(
  { amounts }: Pick<Policy, "amounts">,
  given: readonly { readonly amount: string; readonly currency: string }[],
): Big | undefined {
  if (!amounts) return undefined;
  let sum = new Big(0);
  for (const { amount, currency } of given) {
    const rate = currency === amounts.currency ? "1" : amounts.rates[currency];
    if (rate === undefined) return undefined;
    sum = sum.plus(new Big(amount).times(rate));
  }
  return sum;
}

/** Returns day, weekday and time in the policy's time zone. */
export function localTime({ timeZone }: Pick<Policy, "timeZone">, moment: number) {
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  }).formatToParts(moment);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)!.value;
  return {
    day: `${of("year")}-${of("month")}-${of("day")}`,
    weekday: of("weekday"),
    time: `${of("hour")}:${of("minute")}`,
  };
}
