/** X-Request-ID, which every answer of the open-banking interfaces repeats. */
import type { onRequestAsyncHookHandler } from "fastify";
import { serverOfPath } from "../refusal";

export const echoRequestId: onRequestAsyncHookHandler = async ({ url, headers }, reply) => {
  const id = headers["x-request-id"];
  if (serverOfPath(url) === "xs2a" && typeof id === "string") reply.header("x-request-id", id);
};
