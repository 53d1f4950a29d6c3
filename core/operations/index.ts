/** The contract of the service as data, the language that it is declared in, and what reads a request by it. */
export { operations } from "./all";
export { decodeBody, UnreadableBody } from "./body";
export { checkInput, checkRequest, inWords, type Problem, type Values } from "./check";
export { contract } from "./contract";
export {
  type Answer,
  type AnswerHeaders,
  type AsText,
  byConnection,
  byConnectionOrMade,
  byFxdesk,
  byOperator,
  type ClientRefusals,
  commaSeparated,
  type Declaration,
  type DocumentForm,
  type Effect,
  empty,
  type Failure,
  file,
  type Filler,
  html,
  json,
  type LinkedPages,
  type Maker,
  type Method,
  type Operation,
  operation,
  orText,
  type Paging,
  type Parameter,
  type Rule,
  type Shape,
  text,
  type TextDocument,
} from "./declaration";
export {
  type CredentialScheme,
  defineService,
  type ErrorBody,
  type Server,
  type Service,
  type Setting,
  splitCredential,
  type TokenEndpoint,
} from "./definition";
export { extended } from "./extensions";
export { callerFields, type Field, fieldsOf, type Place, withDefaults } from "./fields";
export type { InputOf, ValuesOf } from "./input";
export { perOperation } from "./memo";
export type { OperationValues } from "./operation-values";
export { decodeRequest, encodeRequest, fromText, type ReceivedRequest, type WireRequest } from "./wire";
