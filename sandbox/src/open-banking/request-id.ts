/** X-Request-ID, which every response of the open-banking interfaces repeats. */

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** In responses to requests that have no identifier. */
const none = "00000000-0000-0000-0000-000000000000";

/** The identifier of a request. Every response has one, and it is a UUID. */
export const requestIdOf = (id: string | undefined): string =>
  id !== undefined && isUuid.test(id) ? id : none;
