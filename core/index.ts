/** Public entry point: createClient with its options, results and errors, and the extension points around calls. */
export { createClient } from "./client/client";
export { fxdeskService } from "./client/fxdesk-service";
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
} from "./api/client-types";
export type * from "./client/fxdesk-client";
export type { CallOptions, PsuContext } from "./call/call-options";
export type { ConfirmRelease, ReleaseProposal } from "./call/call-options";
export type { OrderInput } from "./releases/terms";
export type { Decision, DecisionInput } from "./releases/release";
export type { ReleaseState } from "./releases/states";
export type { ReleaseListOptions, ReleaseReportList } from "./releases/report";
export type { OrderTerms } from "./releases/terms";
export type { ClientOptions, Credentials } from "./call/client-options";
export type { Change, ChangeKind, ReadWindow, Snapshot, Watch, WatchStart, WatchState } from "./spec/watch";
export type {
  ChangeBatch,
  Delivery,
  InitialChanges,
  SinceOptions,
  WatchOptions,
  WatchStatus,
} from "./api/watch-options";
export type { CreatedResource, RecoveredCall, ServiceResponse } from "./call/response";
export type { JournalDifference, ReconciliationPeriod } from "./journal/list-comparison";
export type { ExcludedCalls, JournalReconciliation, PartialPeriod } from "./journal/reconciliation";
export { ReceivedFile } from "./call/received-file";
export { intoFolder } from "./call/file-delivery";
export type {
  DeliverFile,
  FileLocation,
  Procedure,
  ProducedFile,
  Progress,
  RunContext,
} from "./spec/procedure";
export { environmentName, optionsFromSettings, settingsFromEnvironment, settingsOf } from "./call/settings";
export type { AttemptEvent, CallEvent, PauseEvent, TokenEvent } from "./call/diagnostics-channels";
export type { Interceptor, Next } from "./call/client-options";
export type { PreparedCall } from "./call/prepared-call";
export { serviceFrom } from "./client/extensions";
export type { Additions, ExtendedService, Extension, ExtensionToolkit } from "./client/extensions";
export type { Tokens } from "./http/token-source";
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
} from "./spec/errors";
export type { Violation } from "./spec/errors";
export type { Values } from "./spec/fields";
export type { Callable, Declaration, Effect } from "./spec/operation";
export type { ServiceAdditions } from "./spec/extension";
export type { Service, Setting } from "./spec/service";
export type { Deadline } from "./http/deadline";
export { type PermitRequest, MemoryPacing, type Pacing, type PacingLimits, type Permit } from "./http/pacing";
export type { TlsOptions } from "./http/tls";
