export { minorUnits } from "./currency";
export * from "./kind";
export * from "./messages";
export * from "./values";
export { isDateTime } from "./xs2a";
