/** contract.check if little or nothing can be read: unchecked operations do not conform. */
import { type Sandbox, startSandbox } from "@fxdesk/sandbox";
import { type FxdeskClient } from "../../../core";
import { sandboxClient } from "../../support/samples";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Runs the check with its own client. */
async function runCheck(...of: Parameters<typeof sandboxClient>) {
  const client: FxdeskClient = sandboxClient(...of);
  try {
    return await client.contract.check();
  } finally {
    await client.close();
  }
}

const reasonsIn = ({ unread }: Awaited<ReturnType<typeof runCheck>>) =>
  Object.fromEntries(unread.map(({ operation, reason }) => [operation, reason]));

test("does not conform if the service is unreachable", async () => {
  const report = await runCheck({ baseUrl: "http://127.0.0.1:9", xs2aUrl: "http://127.0.0.1:9" });
  expect(report).toMatchObject({ conforms: false, checked: [], differences: [] });
  expect(reasonsIn(report)["trades.list"]).toMatch(/^It could not be sent \(/);
});

test("requires the lists that every client may read, but not the restricted ones", async () => {
  const refuse = (operation: string) =>
    sandbox.control.addFault({ operation, kind: "status", status: 403, times: 100 });
  refuse("approvalsWorkflow.getConfig");
  expect((await runCheck(sandbox)).conforms).toBe(true);
  refuse("trades.list");
  const report = await runCheck(sandbox);
  expect(report).toMatchObject({ conforms: false, differences: [] });
  expect(reasonsIn(report)["trades.list"]).toBe("Status 403.");
});
