export { minorUnits } from "./currency";
export * from "./kind";
export * from "./messages";
export * from "./values";
export * from "./statuses";
