export * from "./days";
export * from "./business-days";
export * from "./payment-systems";
export * from "./service-cut-offs";
