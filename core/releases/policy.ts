/** The policy: which calls and orders need a yes, from whom, and within which limits. A file; nothing else says any of it. */
import { Big } from "big.js";
import { z } from "zod";
import { lineOfFault, linesOf } from "./json-lines";
import { readOwnFile } from "./own-file";

const Name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._@-]{0,63}$/u, "must be a name of letters, digits and . _ @ -")
  .meta({ description: "A person or a program, as FXDESK_ACTOR names it." });

const Amount = z
  .string()
  .regex(/^\d{1,14}(\.\d{1,4})?$/, 'must be a decimal amount as text, such as "250000"')
  .meta({ description: "A decimal as text, in the currency of amounts." });

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
        description: "Calls with one of these effects; money where neither effects nor operations are named.",
      }),
    operations: z
      .array(z.string())
      .min(1)
      .optional()
      .meta({ description: "Calls of one of these operations, and orders: trades.order." }),
    above: Amount.optional().meta({
      description:
        "Only above this amount, in the currency of amounts. An amount that nobody knows is above every one.",
    }),
    yes: z.int().min(1).max(10).default(1).meta({ description: "How many people must say yes." }),
    from: z
      .array(Name)
      .min(1)
      .optional()
      .meta({ description: "Whose yes counts; that of everybody by default." }),
  })
  .meta({ description: "What needs a yes, and whose. All rules that fit hold." });

export const Policy = z
  .strictObject({
    $schema: z.string().optional(),
    people: z.array(Name).min(1).meta({
      description: "Everybody who may ask or release. Who releases has a secret in the file of people.",
    }),
    deputies: z
      .record(Name, z.array(Name).min(1))
      .default({})
      .meta({ description: "Who may say yes in the place of somebody; both together are one yes." }),
    rules: z.array(Rule).default([]),
    yesLastsMinutes: z
      .int()
      .min(1)
      .max(525_600)
      .default(60)
      .meta({ description: "How long a yes may be used; 60 by default." }),
    timeZone: z
      .string()
      .refine(isTimeZone, "must be a time zone, such as Europe/Brussels")
      .default("UTC")
      .meta({ description: "That of days and hours." }),
    amounts: z
      .strictObject({
        currency: Currency.meta({ description: "In which amounts are compared and summed." }),
        rates: z
          .record(Currency, Rate)
          .default({})
          .meta({ description: "What one unit of other currencies is worth in it." }),
      })
      .optional()
      .meta({ description: "How amounts in different currencies are compared." }),
    limits: z
      .strictObject({ perTrade: Amount.optional(), perDay: Amount.optional() })
      .optional()
      .meta({ description: "No order or call goes beyond them. What became of one that is unknown counts." }),
    pairs: z
      .array(z.string().regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD"))
      .min(1)
      .optional()
      .meta({ description: "Pairs that may be ordered, in either direction; all by default." }),
    types: z.array(z.string()).min(1).optional().meta({ description: "Types of trade that may be ordered." }),
    clients: z
      .array(z.string())
      .min(1)
      .optional()
      .meta({ description: "Client IDs for which something may leave." }),
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
      .meta({ description: "When something may leave; always by default." }),
    quoteEverySeconds: z
      .number()
      .min(0.05)
      .max(3_600)
      .default(10)
      .meta({ description: "How long an order waits between two quotes; 10 by default." }),
  })
  .superRefine((policy, context) => {
    const fault = (path: PropertyKey[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    const known = (name: string, path: PropertyKey[]) => {
      if (!policy.people.includes(name)) fault(path, `names ${name}, who is not among people`);
    };
    policy.rules.forEach(({ from, yes, above }, index) => {
      from?.forEach((name, place) => known(name, ["rules", index, "from", place]));
      const voices = from ?? policy.people;
      if (new Set(voices).size < yes)
        fault(["rules", index, "yes"], `asks for ${yes}, and only ${new Set(voices).size} can say it`);
      if (above !== undefined && !policy.amounts) fault(["rules", index, "above"], "needs amounts");
    });
    for (const [name, deputies] of Object.entries(policy.deputies)) {
      known(name, ["deputies", name]);
      deputies.forEach((deputy, place) => known(deputy, ["deputies", name, place]));
    }
    if (policy.limits && !policy.amounts) fault(["limits"], "needs amounts");
    if (policy.hours && policy.hours.from >= policy.hours.to)
      fault(["hours", "to"], "must be later than from");
  })
  .meta({ id: "Policy", description: "What needs a person's yes before it leaves." });

export type PolicyRule = z.output<typeof Rule>;
export type Policy = z.output<typeof Policy>;

/** The policy of who has none and asks for the release of every call that commits money: one yes of anybody else. */
export const everyMoneyCall = (people: readonly string[]): Policy =>
  Policy.parse({ people, rules: [{ effects: ["money"] }] });

/** Reads a policy. Throws a TypeError with a line for each fault: where it stands, which field it is, what would be right. */
export function policyFrom(json: string, path: string): Policy {
  let given: unknown;
  try {
    given = JSON.parse(json);
  } catch (error) {
    throw new TypeError(
      `policy names ${path}, line ${lineOfFault(json, error as Error)}: ${(error as Error).message}.`,
      { cause: error },
    );
  }
  const { data, error } = Policy.safeParse(given);
  if (data) return data;
  const lines = linesOf(json);
  const faults = error.issues.map((issue) => {
    const field = issue.path.join(".");
    // What is missing has no line: that of what it is missing in.
    const line = lines.get(field) ?? lines.get(issue.path.slice(0, -1).join(".")) ?? 1;
    return `line ${line}${field && `, ${field}`}: ${issue.message}`;
  });
  throw new TypeError(`policy names ${path}, which does not fit: ${faults.join("; ")}.`);
}

/** Throws a TypeError that begins with the setting and says what is wrong. */
export const policyAt = async (path: string): Promise<Policy> =>
  policyFrom(await readOwnFile({ setting: "policy", path, isSecret: false }), path);

/** What amounts are worth in the currency of the policy; undefined where it has no rate for one of them. */
export function worth(
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

/** The day and the hour in the zone of a policy. */
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
