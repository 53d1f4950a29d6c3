/** Tests that every operation responds to its sample as documented. */
import type { FxdeskClient } from "@fxdesk/toolkit";
import { type Declaration, operations } from "@fxdesk/toolkit/operations";
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { sampleInput, sandboxClient } from "../support/samples";

let sandbox: Sandbox;
let client: FxdeskClient;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = sandboxClient(sandbox);
});
afterAll(async () => {
  await client.close();
  await sandbox.close();
});

test.each(operations.map((operation) => [operation.name, operation] as const))(
  "%s succeeds with its sample",
  async (name, operation: Declaration) => {
    const { status, violations } = await client.call(operation, await sampleInput(name, client));
    expect(Object.keys(operation.responses)).toContain(String(status));
    expect(violations).toEqual([]);
  },
);
