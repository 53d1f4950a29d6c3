/**
 * Platform module of the SDK, bundled with the smaller of its two validators. The server validates only elicitation forms
 * with it; the operations check the arguments of tools.
 */
export { default as process } from "node:process";
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
