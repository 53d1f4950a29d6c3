/** Public entry point: createClient with its options, results and errors, and the extension points around calls. */
export { createClient } from "./client/client";
export { fxdeskService } from "./service";
export type {
  CallMethod,
  Client,
  ClientCore,
  ClientOrders,
  LinkedPagesMethod,
  ListMethod,
  OptionalArguments,
  OutputOf,
  RequiredArguments,
  ResponseOf,
  UndeclaredRequest,
  WatchMethod,
} from "./client/client-types";
export type * from "./client/fxdesk-client";
export type { CallOptions, PsuContext } from "./client/call-options";
export type { ConfirmRelease, ReleaseProposal } from "./releases/proposal";
export type { OrderInput } from "./releases/order-input";
export type { Decision, DecisionInput, ReleaseState } from "./releases/release";
export type { ReleaseListOptions, ReleaseReportList } from "./releases/report";
export type { OrderTerms } from "./releases/terms";
export type { ClientOptions, Credentials } from "./client/client-options";
export type {
  Change,
  ChangeKind,
  ReadWindow,
  Snapshot,
  Watch,
  WatchStart,
  WatchState,
} from "./declaration/watch";
export type {
  ChangeBatch,
  Delivery,
  InitialChanges,
  SinceOptions,
  WatchOptions,
  WatchStatus,
} from "./watches/options";
export type { CreatedResource, RecoveredCall, ServiceResponse } from "./client/response";
export { ReceivedFile } from "./client/received-file";
export { intoFolder } from "./client/file-delivery";
export type {
  DeliverFile,
  FileLocation,
  Procedure,
  ProducedFile,
  Progress,
  RunContext,
} from "./declaration/procedure";
export { environmentName, optionsFromSettings, settingsFromEnvironment, settingsOf } from "./client/settings";
export type { AttemptEvent, CallEvent, PauseEvent, TokenEvent } from "./client/diagnostics-channels";
export type { Interceptor, Next } from "./client/interceptors";
export type { PreparedCall } from "./client/prepared-call";
export { serviceFrom } from "./client/extensions";
export type { Additions, ExtendedService, Extension, ExtensionToolkit } from "./client/extensions";
export type { Tokens } from "./credentials/token-source";
export {
  Aborted,
  Conflict,
  type ErrorCode,
  Forbidden,
  FxdeskError,
  InvalidInput,
  InvalidResponse,
  type JournalNote,
  NotFound,
  type Outcome,
  OutcomeUnknown,
  RateLimited,
  ReleaseNeeded,
  type ServiceMessage,
  Timeout,
  Unauthorized,
  Unavailable,
} from "./errors";
export type { Violation } from "./declaration/violation";
export type { Values } from "./declaration/fields";
export type { Callable, Declaration, Effect } from "./declaration/operation";
export type { ServiceAdditions } from "./declaration/extension";
export type { Service, Setting } from "./declaration/service";
export type { Deadline } from "./transport/deadline";
export {
  type PermitRequest,
  MemoryPacing,
  type Pacing,
  type PacingLimits,
  type Permit,
} from "./transport/pacing";
export type { TlsOptions } from "./transport/tls";
