/** X-Request-ID, which every response of the open-banking interfaces repeats. */

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** In responses to requests that have no identifier. */
const nilRequestId = "00000000-0000-0000-0000-000000000000";

/** The identifier of a request. Every response has one, and it is a UUID. */
export const responseRequestId = (id: string | undefined): string =>
  id !== undefined && uuidPattern.test(id) ? id : nilRequestId;
