/** Responses with more levels of lists and objects than any surface can print are errors with a true outcome everywhere. */
import { join } from "node:path";
import { openJournal } from "../core/journal/journal";
import { parseStoreSettings } from "../core/store/settings";
import { failureOf, startClientAndServer, tradeInput } from "./core/support/client-fixtures";
import { runFxdesk, variablesFor } from "./cli/run-command";
import { textOf } from "./mcp/support/clients";
import { closeLater, tempFolder } from "./support/resources";
import { respond } from "./support/fault-server";
import { withAssistant } from "./support/surfaces";

const levels = 20_000;
const lists = `${"[".repeat(levels)}${"]".repeat(levels)}`;
const objects = `{"trade_id":"t-1","x":${'{"a":'.repeat(levels)}1${"}".repeat(levels)}}`;

test.each([
  ["lists", lists],
  ["objects", objects],
])("%s", async (_, body) => {
  const store = join(await tempFolder(), "store.db");
  const { server, client } = await startClientAndServer(
    (socket, number) =>
      respond(server.heads[number - 1]!.startsWith("POST") ? 201 : 200, body)(socket, number),
    { store },
  );
  const invalid = { code: "invalid_response", outcome: "unknown" };
  expect(await failureOf(client.trades.list())).toMatchObject(invalid);
  expect(await failureOf(client.request({ method: "GET", path: "/things" }))).toMatchObject(invalid);
  const watched = client.trades.watch()[Symbol.asyncIterator]().next();
  expect(await failureOf(watched)).toMatchObject(invalid);

  const command = await runFxdesk(["call", "trades.list"], { variables: variablesFor(server) });
  expect(command.stderr).toContain("more than 1000 levels");
  expect(command.stderr).not.toMatch(/RangeError|\n +at /);
  const logged = jest.spyOn(process.stderr, "write");
  const result = await withAssistant({ client, toolsets: ["all"], allow: [] }, (assistant) =>
    assistant.callTool({ name: "list_trades", arguments: {} }),
  );
  expect([result.isError, logged.mock.calls]).toEqual([true, []]);
  logged.mockRestore();
  expect(textOf(result as never)).toContain("more than 1000 levels");

  const booked = await failureOf(client.trades.book(tradeInput));
  expect(booked).toMatchObject({ code: "outcome_unknown", outcome: "unknown", status: 201 });
  const journal = closeLater(await openJournal(parseStoreSettings({ store })));
  expect(await journal.get(booked.journal!.entry)).toMatchObject({
    state: "unknown",
    endingDetails: { message: booked.message },
  });
});
