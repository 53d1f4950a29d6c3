/** `npm run bench`: every measurement, one after the other. */
import { benchClient } from "./client";

async function main(): Promise<void> {
  await benchClient();
}

void main();
