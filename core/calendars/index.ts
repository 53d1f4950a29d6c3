export * from "./days";
export * from "./business-days";
