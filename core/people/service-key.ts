/** Service keys: credentials of programs that request and can never release. The key names its holder; the people file has its hash. */
import { z } from "zod";
import { AmountText } from "../values/values";
import { PersonName } from "./name";

export const TokenHash = z
  .string()
  .regex(/^sha256\$[0-9a-f]{64}$/, "must be a hash that fxdesk people or fxdesk keys made");

export const keyEffects = ["change", "money"] as const;

/** What a program may do with its key. Without a scope or limit, the policy alone decides. */
export const KeyScope = z.strictObject({
  effects: z.array(z.enum(keyEffects)).min(1).optional(),
  /** Names of operations, and trades.order for orders. */
  operations: z.array(z.string()).min(1).optional(),
  /** Last day on which the key is valid, UTC. */
  until: z.iso.date("must be a day, such as 2026-12-31").optional(),
  /** In the currency of the policy. */
  perRequest: AmountText.optional(),
  perDay: AmountText.optional(),
});
export type KeyScope = Readonly<z.output<typeof KeyScope>>;

export const ServiceKey = KeyScope.extend({ hash: TokenHash });
export type ServiceKey = Readonly<z.output<typeof ServiceKey>>;

/** Returns why a key does not permit an operation at this moment, or undefined. Amounts are checked with the policy. */
export function findScopeViolation(
  name: string,
  { effects, operations, until }: KeyScope,
  request: { readonly operation: string; readonly effect: (typeof keyEffects)[number] },
  moment: number,
): string | undefined {
  if (until !== undefined && new Date(moment).toISOString().slice(0, 10) > until)
    return `The service key of ${name} expired after ${until}.`;
  if (effects && !effects.includes(request.effect))
    return `The service key of ${name} does not permit the effect ${request.effect}.`;
  return operations && !operations.includes(request.operation)
    ? `The service key of ${name} does not permit ${request.operation}.`
    : undefined;
}

export const formatServiceKey = (name: string, secret: string): string => `${name}:${secret}`;

/** Returns the name in a key. Throws a TypeError if the text is no service key; the message does not contain it. */
export function parseServiceKey(serviceKey: string): string {
  const [, name] = /^([^:]+):[\w-]{43}$/.exec(serviceKey) ?? [];
  if (name !== undefined && PersonName.safeParse(name).success) return name;
  throw new TypeError("serviceKey must be a key that `fxdesk keys issue` printed.");
}
