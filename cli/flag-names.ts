import type { Callable } from "../core/declaration/operation";

/** A watch as it is called on the command line: `watch_margin_calls` is margin-calls. */
export const watchCommandName = ({ tool }: Pick<Callable, "tool">): string =>
  tool.replace(/^watch_/, "").replaceAll("_", "-");

/** `account_id`, `paymentId` and `Consent-ID` are --account-id, --payment-id and --consent-id. */
export const flagName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
