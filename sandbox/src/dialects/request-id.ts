/** X-Request-ID, echoed in every response of the open-banking interfaces. */

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Used if the request has no valid ID. */
const nilRequestId = "00000000-0000-0000-0000-000000000000";

/** Returns the request ID to echo. Every response has one, and it is a UUID. */
export const responseRequestId = (id: string | undefined): string =>
  id !== undefined && uuidPattern.test(id) ? id : nilRequestId;
