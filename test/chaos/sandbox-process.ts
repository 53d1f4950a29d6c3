/** A sandbox in a separate process, ended with its test, started by `fxdesk sandbox`, and its books. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { createClient, optionsFromSettings, settingsFromEnvironment } from "@fxdesk/toolkit";
import { demo } from "@fxdesk/sandbox";
import { environmentOf, program } from "../cli/run-command";
import { closeLater, runLater } from "../support/resources";

export interface SandboxProcess {
  readonly url: string;
  readonly variables: Readonly<Record<string, string>>;
  quote(): Promise<string>;
  /** All trades in its books, by reference. */
  tradesByReference(): Promise<ReadonlyMap<string, readonly string[]>>;
}

export async function startSandboxProcess(flags: readonly string[]): Promise<SandboxProcess> {
  const args = [program, "sandbox", "--port", "0", "--quote-seconds", "86400", ...flags];
  const child = spawn(process.execPath, args, { env: environmentOf(), stdio: ["ignore", "pipe", "pipe"] });
  runLater(async () => {
    const ended = once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  });
  const variables: Record<string, string> = {};
  createInterface(child.stdout).on("line", (line) => {
    const [, name, value] = /^(?:export )?(\w+)='?(.*?)'?$/.exec(line) ?? [];
    if (name) variables[name] = value!;
  });
  // It prints its address when it is ready.
  await once(child.stderr, "data");
  const url = variables.FXDESK_BASE_URL!;
  const client = closeLater(
    createClient({ ...optionsFromSettings(settingsFromEnvironment(variables)), connections: 50 }),
  );
  return {
    url,
    variables,
    async quote() {
      const { body } = await client.request({
        method: "POST",
        path: "/quotes",
        query: { client_id: demo.clientId },
        body: { amount: 100, operation: "sell", buy_currency: "USD", sell_currency: "EUR" },
      });
      return (body as { quote_id: string }).quote_id;
    },
    async tradesByReference() {
      const found = new Map<string, string[]>();
      for await (const { reference = "", trade_id: id } of client.trades.list.all({ page_size: 500 }))
        found.set(reference, [...(found.get(reference) ?? []), id]);
      return found;
    },
  };
}
