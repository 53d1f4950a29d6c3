import { type Given, UsageError } from "./arguments";

/** The port to listen on; 0 lets the system choose one. */
export function portFrom(given: Given): number | undefined {
  const text = given.text("port");
  if (text === undefined) return undefined;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new UsageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(text)}.`);
  return Number(text);
}
