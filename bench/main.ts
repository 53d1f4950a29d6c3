/** `npm run bench`: every measurement, one after the other. */
import { benchClient } from "./client";
import { benchMcp } from "./mcp";
import { benchNodes } from "./nodes";
import { benchSandbox } from "./sandbox";

async function main(): Promise<void> {
  await benchClient();
  await benchNodes();
  await benchMcp();
  await benchSandbox();
}

void main();
