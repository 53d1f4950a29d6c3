/** The policy file: which calls and orders need release, by whom, and within which limits. */
import { createHash } from "node:crypto";
import { Big } from "big.js";
import { z } from "zod";
import { TradeType } from "../contract/trades";
import { findLookAlike, PersonName } from "../people/name";
import { Administration, type People, releasersOf } from "../people/people-file";
import { readProtectedFile } from "../people/protected-file";
import { callablesOf, type Service } from "../spec/service";
import { isIban } from "../values/account-number";
import { normalizeAddress } from "../values/host";
import { AmountText } from "../values/values";
import { suggestions } from "../values/suggestions";
import { JsonSyntaxError, type LocatedJson, parseLocatedJson } from "./json-positions";

const Name = PersonName;

const Amount = AmountText.meta({
  description: "Decimal amount as a string, in the currency of `amounts`.",
});

const Rate = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,10})?$/, 'must be a decimal rate as text, such as "0.92"')
  .refine((text) => /[1-9]/.test(text), "must be more than zero");

const Currency = z.string().regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR");

const Address = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
  message: "must be an http or https address",
  abort: true,
});

const isTimeZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone }).format();
    return true;
  } catch {
    return false;
  }
};

const Time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time as HH:MM");

const SecondFactor = z.enum(["totp", "passkey", "any"]).meta({
  description:
    "What a release needs besides the secret: `totp`, a one-time code of an authenticator app; `passkey`, a passkey on the " +
    "releases page; `any`, one of both.",
});
export type SecondFactor = z.output<typeof SecondFactor>;

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
    operations: z.array(z.string()).min(1).optional().meta({
      description: "Applies to calls of these operations, by name, and to orders with trades.order.",
    }),
    above: Amount.optional().meta({
      description:
        "Applies above this amount, in the currency of `amounts`. An unknown amount exceeds every limit.",
    }),
    creditors: z.enum(["unknown"]).optional().meta({
      description:
        "Applies to payments to at least one account that `creditors` of the policy does not list, or that cannot be read.",
    }),
    yes: z.int().min(1).max(10).default(1).meta({ description: "Number of people who must release." }),
    from: z
      .array(Name)
      .min(1)
      .optional()
      .meta({ description: "People who may release; default everyone in `people`." }),
    secondFactor: SecondFactor.optional(),
  })
  .refine(
    ({ effects, operations, above, yes, from, secondFactor }) =>
      yes > 1 || (effects ?? operations ?? above ?? from ?? secondFactor) !== undefined,
    "is empty",
  )
  .meta({ description: "A rule for release. All matching rules apply." });

export const Policy = z
  .strictObject({
    $schema: z.string().optional(),
    people: z.array(Name).min(1).meta({
      description:
        "Everyone who may request or release. People who release need a secret in the people file.",
    }),
    seeAll: z.array(Name).default([]).meta({
      description:
        "Requesters who may see and cancel the requests of all others, by their service key or token.",
    }),
    deputies: z
      .record(Name, z.array(Name).min(1))
      .default({})
      .meta({ description: "Deputies per person; a person and their deputies count as one release." }),
    rules: z.array(Rule).min(1, "must not be empty: leave it out if the policy has no rules").default([]),
    secondFactor: SecondFactor.optional(),
    administration: Administration.prefault({}).meta({
      description:
        "Administrators who must agree to changes, once the policy is approved in the people file.",
    }),
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
      .strictObject({
        perTrade: Amount.optional(),
        perDay: Amount.optional(),
        perClientPerDay: Amount.optional(),
        perAccountPerDay: Amount.optional(),
        perRequesterPerDay: Amount.optional(),
        requesters: z
          .record(Name, z.strictObject({ perTrade: Amount.optional(), perDay: Amount.optional() }))
          .optional()
          .meta({ description: "Lower limits of single requesters, by name." }),
      })
      .refine((limits) => Object.keys(limits).length > 0, "must not be empty")
      .optional()
      .meta({ description: "Limits that no order or call may exceed. Calls with an unknown outcome count." }),
    creditors: z
      .array(
        z.strictObject({
          name: z.string().min(1).meta({ description: "Name for the reader; it is not compared." }),
          account: z
            .string()
            .refine(isIban, "must be an IBAN, such as BE68 5390 0754 7034")
            .meta({ description: "IBAN, with or without spaces." }),
        }),
      )
      .min(1)
      .optional()
      .meta({ description: "Known accounts to credit, for rules with `creditors`." }),
    services: z
      .record(Name, z.array(Address).min(1))
      .default({})
      .meta({ description: "Addresses of one service per name, which share their daily limits." }),
    pairs: z
      .array(z.string().regex(/^[A-Z]{6}$/, "must be two currencies, such as EURUSD"))
      .min(1)
      .optional()
      .meta({ description: "Currency pairs that may be traded, in either direction; default all." }),
    types: z
      .array(TradeType)
      .min(1)
      .optional()
      .meta({ description: "Trade types that may be traded; default all." }),
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
      if (!policy.people.includes(name)) addIssue(path, "is not listed in people");
    };
    policy.people.forEach((name, index) => {
      const other = findLookAlike(name, policy.people);
      if (other !== undefined) addIssue(["people", index], `looks like ${other}`);
    });
    for (const name of Object.keys(policy.limits?.requesters ?? {}))
      checkKnown(name, ["limits", "requesters", name]);
    policy.rules.forEach(({ from, yes, above, creditors }, index) => {
      from?.forEach((name, position) => checkKnown(name, ["rules", index, "from", position]));
      const eligible = from ?? policy.people;
      if (new Set(eligible).size < yes)
        addIssue(
          ["rules", index, "yes"],
          `requires ${yes} people, but only ${new Set(eligible).size} may release`,
        );
      if (above !== undefined && !policy.amounts)
        addIssue(["rules", index, "above"], "`above` also requires `amounts`");
      if (creditors !== undefined && !policy.creditors)
        addIssue(["rules", index, "creditors"], "also requires `creditors` of the policy");
    });
    for (const [name, deputies] of Object.entries(policy.deputies)) {
      checkKnown(name, ["deputies", name]);
      deputies.forEach((deputy, position) => checkKnown(deputy, ["deputies", name, position]));
    }
    const addresses = Object.entries(policy.services).flatMap(([name, own]) =>
      own.map((address, index) => ({ path: ["services", name, index], address: normalizeAddress(address) })),
    );
    addresses.forEach(({ path, address }, index) => {
      if (addresses.findIndex((each) => each.address === address) < index)
        addIssue(path, "repeats an address");
    });
    if (policy.limits && !policy.amounts) addIssue(["limits"], "`limits` also requires `amounts`");
    if (policy.hours && policy.hours.from >= policy.hours.to)
      addIssue(["hours", "to"], "must be later than from");
  })
  .meta({ id: "Policy", description: "Rules and limits for requests that a person must release." });

export type PolicyRule = z.output<typeof Rule>;
export type Policy = z.output<typeof Policy> & {
  /** SHA-256 of the file, in hex. Undefined for the default policy. */
  readonly hash?: string;
};

/** Returns the policy used if none is set but release is requested: every money call needs one approval by anyone else. */
export const defaultMoneyPolicy = (file: People, requester: string | undefined): Policy => {
  const people = new Set(releasersOf(file));
  if (requester !== undefined) people.add(requester);
  return Policy.parse({ people: [...people], rules: [{ effects: ["money"] }] });
};

/** The service whose operations a policy may name. */
export type PolicyService = Pick<Service, "operations" | "procedures" | "quoteProcedures">;

interface Fault {
  /** Field that is shown. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** Field whose line is shown, if another. */
  readonly at?: readonly PropertyKey[];
}

/** Returns the names for which a rule can require release: operations that do more than read, and orders. */
function releasableNames({ operations, procedures = [], quoteProcedures = [] }: PolicyService): string[] {
  const orders = [...procedures, ...quoteProcedures].filter(({ identifiedBy }) => identifiedBy === "release");
  return [...operations, ...orders].filter(({ effect }) => effect !== "read").map(({ name }) => name);
}

/** Returns why a rule or a service key cannot name an operation, or undefined. */
export function findOperationFault(name: string, service: PolicyService): string | undefined {
  const names = releasableNames(service);
  if (names.includes(name)) return undefined;
  if (name.includes("*")) return "must name one operation; wildcards are not supported";
  const isKnown = callablesOf(service).some((each) => each.name === name);
  if (isKnown) return "needs no release itself; name operations that change something or commit money";
  const similar = suggestions(name, names);
  const hint = similar.length > 0 ? `did you mean ${similar.join(" or ")}?` : "is FXDESK_EXTENSIONS set?";
  return `is not an operation of this service; ${hint}`;
}

const operationFaults = ({ rules }: Policy, service: PolicyService): Fault[] =>
  rules.flatMap(({ operations = [] }, rule) =>
    operations.flatMap((name, index) => {
      const message = findOperationFault(name, service);
      return message === undefined ? [] : [{ path: ["rules", rule, "operations", index], message }];
    }),
  );

const issueFaults = ({ issues }: z.ZodError): Fault[] =>
  issues.flatMap((issue): Fault | Fault[] =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({
          path: issue.path,
          at: [...issue.path, key],
          message: "is not a field of a policy",
        }))
      : issue,
  );

/** Fields whose members have names from the file. */
const recordFields = new Set<PropertyKey>(["deputies", "rates", "requesters", "services"]);

/** Describes a fault without quoting the file. */
function describeFault({ path, message, at = path }: Fault, { lines }: LocatedJson): string {
  // A missing field has no line; use that of its parent.
  const line = lines.get(at.join(".")) ?? lines.get(at.slice(0, -1).join(".")) ?? 1;
  const record = path.findIndex((part) => recordFields.has(part));
  const field = (record === -1 ? path : path.slice(0, record + 1)).join(".");
  return `line ${line}${field && `, ${field}`}: ${message}`;
}

/**
 * Parses a policy for a service. Throws a TypeError that lists each fault with line, field and rule, and quotes nothing of the
 * file.
 */
export function parsePolicy(json: string, path: string, service: PolicyService): Policy {
  const invalid = (faults: readonly string[]) =>
    new TypeError(`policy: ${path} is invalid: ${faults.join("; ")}.`);
  let located: LocatedJson;
  try {
    located = parseLocatedJson(json);
  } catch (error) {
    throw error instanceof JsonSyntaxError ? invalid([error.message]) : error;
  }
  const { data, error } = Policy.safeParse(located.value);
  const faults = [
    ...located.duplicateLines.map((line) => `line ${line}: repeats a field of the same object`),
    ...(data ? operationFaults(data, service) : issueFaults(error!)).map((fault) =>
      describeFault(fault, located),
    ),
  ];
  if (faults.length > 0) throw invalid(faults);
  return { ...data!, hash: createHash("sha256").update(json).digest("hex") };
}

/**
 * Loads a policy. Throws a TypeError that starts with the setting, also if administrators approved another policy in this
 * people file.
 */
export async function loadPolicy(
  path: string,
  service: PolicyService,
  people: People | undefined,
): Promise<Policy> {
  const json = await readProtectedFile({ setting: "policy", path, isSecret: false });
  const policy = parsePolicy(json, path, service);
  if (people?.policy && people.policy.hash !== policy.hash)
    throw new TypeError(
      `policy: ${path} is not the approved policy. Administrators approve it with \`fxdesk people approve-policy ${path} --by <name>\`.`,
    );
  return policy;
}

/** Returns why there must be a policy, or undefined. */
export const missingPolicyProblem = (people: People | undefined): string | undefined =>
  people?.policy && "The people file has an approved policy, but FXDESK_POLICY is not set for this process.";

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
