/** A server on a transport of one's own, with operations of one's own. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { startSandbox } from "@fxdesk/sandbox";
import { contract, type Declaration, operations } from "@fxdesk/toolkit/operations";
import { createMcpServer } from "../../mcp";
import { sandboxClient } from "../support/samples";
import { getRate } from "./support/added";

const rates = () => ({ status: 200, body: { pair: "EURUSD", rate: 1.1 } });

test("an operation that is declared is a tool that works, without another line", async () => {
  const declared: readonly Declaration[] = [...operations, getRate];
  const sandbox = await startSandbox({
    service: { ...contract, operations: declared },
    behaviours: { "rates.get": rates },
  });
  const client = sandboxClient(sandbox);
  const server = createMcpServer({ client, operations: declared });
  const [here, there] = InMemoryTransport.createLinkedPair();
  const assistant = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([server.connect(there), assistant.connect(here)]);

  const { tools } = await assistant.listTools();
  expect(tools.map(({ name }) => name)).toContain("get_rate");
  const result = await assistant.callTool({ name: "get_rate", arguments: { pair: "EURUSD" } });
  expect(result.structuredContent).toEqual({ pair: "EURUSD", rate: "1.1" });

  await assistant.close();
  await server.close();
  await client.close();
  await sandbox.close();
});
