export { nearest } from "../core/nearest";
