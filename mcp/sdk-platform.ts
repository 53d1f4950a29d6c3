/**
 * What the SDK takes from its platform, as it is bundled for Node.js: the smaller of its two validators. The server needs
 * one only for what a person fills in at the host's request; arguments of tools are checked by the operations themselves.
 */
export { default as process } from "node:process";
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
