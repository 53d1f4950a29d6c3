/** `npm run bench`: every measurement, one after the other. */
import { benchClient } from "./client";
import { benchMcp } from "./mcp";
import { benchNodes } from "./nodes";
import { benchStatements } from "./statements";

async function main(): Promise<void> {
  await benchClient();
  await benchNodes();
  await benchMcp();
  await benchStatements();
}

void main();
