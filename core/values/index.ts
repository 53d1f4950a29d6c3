export * from "./kind";
export * from "./error-bodies";
export * from "./values";
export { AmountText } from "./amount-text";
export * from "./statuses";
