export * from "./kind";
export * from "./error-bodies";
export * from "./values";
export * from "./statuses";
