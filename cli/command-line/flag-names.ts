import type { Callable } from "../../core/spec/operation";

/** Returns the name of a watch on the command line: `watch_margin_calls` is margin-calls. */
export const watchCommandName = ({ tool }: Pick<Callable, "tool">): string =>
  tool.replace(/^watch_/, "").replaceAll("_", "-");

/** Converts a field name to a flag: `account_id`, `paymentId`, `Consent-ID` to account-id, payment-id, consent-id. */
export const flagName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
