/** The public API of fxdesk's client core. */
export type { Reply } from "./client/call";
export {
  type Client,
  type ClientCore,
  createClient,
  type OutputOf,
  type ReplyOf,
  type UndeclaredRequest,
} from "./client/client";
export type { CallOptions, ClientOptions, Credentials, PsuContext } from "./client/connection";
export { ReceivedFile } from "./client/file";
export type { FxdeskClient } from "./client/fxdesk-client";
export {
  connectionSettings,
  environmentName,
  optionsFromSettings,
  settingsFromEnvironment,
  type Setting,
} from "./client/settings";
export type { Tokens } from "./credentials/tokens";
export * from "./errors";
export * from "./operations";
export type { TlsOptions } from "./transport/transport";
