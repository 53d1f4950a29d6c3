/** Public entry point for declarations: the contract as data, the builders that declare operations, and request decoding. */
export { operations } from "./contract/all";
export { decodeBody, UnreadableBody } from "./wire/body";
export { checkInput, checkRequest } from "./declaration/check";
export { describeViolations, type Violation } from "./declaration/violation";
export { type Values } from "./declaration/fields";
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
} from "./declaration/declare";
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
} from "./declaration/operation";
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
} from "./declaration/service";
export { extendService, type ServiceAdditions } from "./declaration/extension";
export { type Procedure, procedureFor, type Progress, type RunContext } from "./declaration/procedure";
export { type Snapshot, type Watch, watchFor, type WatchState, type ReadWindow } from "./declaration/watch";
export { callerFields, type Field, fieldsOf, type FieldLocation, withDefaults } from "./declaration/fields";
export type { InputOf, ValuesOf } from "./declaration/input-types";
export { memoizePerOperation } from "./declaration/fields";
export type { OperationValues } from "./contract/operation-values";
export {
  decodeRequest,
  encodeRequest,
  fromText,
  type ReceivedRequest,
  type WireRequest,
} from "./wire/request";
