/** The contract of the service as data, and what reads it. */
export { operations } from "./all";
export { decodeBody, UnreadableBody } from "./body";
export * from "./check";
export { contract } from "./contract";
export * from "./declaration";
export * from "./definition";
export * from "./extensions";
export * from "./fields";
export * from "./input";
export * from "./memo";
export { identifies } from "./proof";
export { transactionTypes } from "./transactions";
export * from "./wire";
