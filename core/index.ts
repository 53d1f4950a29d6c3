/** The public API of fxdesk's client core. */
export type { Reply } from "./client/reply";
export {
  type Client,
  type ClientCore,
  createClient,
  type OutputOf,
  type ReplyOf,
  type UndeclaredRequest,
} from "./client/client";
export type { ClientOptions, Credentials } from "./client/connection";
export type { CallOptions, PsuContext } from "./client/options";
export {
  type Additions,
  type ExtendedService,
  type Extension,
  type ExtensionToolkit,
  serviceFrom,
} from "./client/extensions";
export { ReceivedFile } from "./client/file";
export type { FxdeskClient } from "./client/fxdesk-client";
export { environmentName, optionsFromSettings, settingsFromEnvironment, settingsOf } from "./client/settings";
export type { AttemptEvent, CallEvent, PauseEvent, TokenEvent } from "./client/channels";
export type { Interceptor, Next, PreparedCall } from "./client/pipeline";
export type { Deadline } from "./transport/deadline";
export { MemoryPacing, type Pacing, type Permit } from "./transport/pacing";
export type { Tokens } from "./credentials/tokens";
export * from "./errors";
export * from "./operations";
export type { TlsOptions } from "./transport/line";
