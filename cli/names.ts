/** `account_id`, `paymentId` and `Consent-ID` are --account-id, --payment-id and --consent-id. */
export const flagName = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
