/** A server with a custom transport and a custom operation. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { demo, startSandbox } from "@fxdesk/sandbox";
import { createClient } from "@fxdesk/toolkit";
import { contract, extendService } from "@fxdesk/toolkit/operations";
import { createMcpServer } from "../../mcp";
import { getRate } from "./support/added-operation";

const rates = () => ({ status: 200, body: { pair: "EURUSD", rate: 1.1 } });

test("serves a declared operation as a tool without further code", async () => {
  const service = extendService(contract, { operations: [getRate] });
  const sandbox = await startSandbox({ service, behaviours: { "rates.get": rates } });
  const { baseUrl } = sandbox;
  const client = createClient({ baseUrl, credentials: { accessToken: demo.accessToken } }, service);
  const server = createMcpServer({ client });
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
