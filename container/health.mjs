/** Succeeds if the program of the container answers: on the port and with the protocol of its flags. */
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { get as getSecurely } from "node:https";

const environment = readFileSync(`/proc/${process.argv[2] ?? 1}/environ`, "utf8").split("\0");
const flags = environment.find((each) => each.startsWith("FLAGS=")) ?? "";
const port = / --port[ =](\S+)/.exec(flags.replace("FLAGS=", " "))?.[1] ?? "8080";
const isTls = flags.includes("--tls-cert");
const options = { host: "127.0.0.1", port, path: "/health", timeout: 4_000, rejectUnauthorized: false };
// Node-RED has no /health unless fxdesk's connection is used, but it answers.
(isTls ? getSecurely : get)(options, ({ statusCode }) => process.exit(statusCode < 500 ? 0 : 1))
  .on("timeout", () => process.exit(1))
  .on("error", () => process.exit(1));
