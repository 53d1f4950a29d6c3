/** Public entry point for declarations: the contract as data, the builders that declare operations, and request decoding. */
export { operations } from "./contract/all";
export { decodeBody, UnreadableBody } from "./call/body";
export { checkInput, checkRequest } from "./spec/check";
export { describeViolations, type Violation } from "./spec/errors";
export { type Values } from "./spec/fields";
export { contract } from "./contract/contract";
export {
  byConnection,
  byConnectionOrGenerated,
  byFxdesk,
  commaSeparated,
  empty,
  file,
  hiddenFromModels,
  html,
  json,
  operation,
  orText,
  text,
} from "./spec/declare";
export {
  type ResponseDeclaration,
  type ResponseHeaders,
  type AsText,
  type Callable,
  type CustomerErrorStatuses,
  type Declaration,
  type DocumentForm,
  type Effect,
  type ErrorDeclaration,
  errorBody,
  errorDescription,
  type FilledBy,
  type LinkedPages,
  type GeneratedValue,
  type Method,
  type Paging,
  type Parameter,
  type QuoteDeclaration,
  type Recovery,
  type Rule,
  type Shape,
  type TextDocument,
} from "./spec/operation";
export {
  callablesOf,
  dailyOf,
  declarationsOf,
  type CredentialScheme,
  defineService,
  type ErrorBody,
  type Server,
  type Service,
  type Setting,
  splitCredential,
  type TokenEndpoint,
} from "./spec/service";
export { extendService, type ServiceAdditions } from "./spec/extension";
export { type Procedure, procedureFor, type Progress, type RunContext } from "./spec/procedure";
export { type Snapshot, type Watch, watchFor, type WatchState, type ReadWindow } from "./spec/watch";
export { callerFields, type Field, fieldsOf, type FieldLocation, withDefaults } from "./spec/fields";
export type { InputOf, ValuesOf } from "./spec/input-types";
export { type MetricFamily, metricsMediaType, MetricValues } from "./values/metric-values";
export { memoizePerOperation } from "./spec/fields";
export type { OperationValues } from "./contract/operation-values";
export {
  decodeRequest,
  encodeRequest,
  fromText,
  type ReceivedRequest,
  type WireRequest,
} from "./call/encode-request";
