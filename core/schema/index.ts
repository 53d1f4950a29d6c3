export { minorUnits } from "./currency";
export * from "./kind";
export * from "./messages";
export * from "./values";
export * from "./statuses";
export { ConsentStatus, isDateTime, ScaStatus, TransactionStatus } from "./xs2a";
