/** X-Request-ID, which every answer of the open-banking interfaces repeats. */
import type { onRequestAsyncHookHandler } from "fastify";
import { serverOfPath } from "../refusal";

const isUuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** In answers to requests that have no identifier. */
const none = "00000000-0000-0000-0000-000000000000";

/** The identifier of a request. Every answer has one, and it is a UUID. */
export const requestIdOf = (id: unknown): string => (typeof id === "string" && isUuid.test(id) ? id : none);

export const echoRequestId: onRequestAsyncHookHandler = async ({ url, headers }, reply) => {
  if (serverOfPath(url) === "xs2a") reply.header("x-request-id", requestIdOf(headers["x-request-id"]));
};
