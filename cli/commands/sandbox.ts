/** fxdesk sandbox: the service, played on this machine. */
import type { Command } from "../command";
import { portFrom } from "../port";
import { asVariables, demoConnection, loadSandbox } from "../sandbox-package";
import { write } from "../terminal";
import { untilStopped } from "../until-stopped";

const usualPort = 8080;

export const sandboxCommand: Command = {
  usage: "fxdesk sandbox [flags]",
  says:
    "Plays the service on this machine until Ctrl-C, and prints the address and the demo credentials as environment " +
    "variables. The same seed gives the same company, accounts and trades.",
  flags: [
    {
      name: "port",
      value: "<number>",
      says: `Port to listen on; ${usualPort} by default, 0 for any free one.`,
    },
    { name: "host", value: "<address>", says: "Address to listen on; 127.0.0.1 by default." },
    { name: "seed", value: "<text>", says: "Another company, another year of transactions." },
    {
      name: "data-dir",
      value: "<folder>",
      says: "Where statements sent by e-mail are left; nowhere by default.",
    },
  ],
  async run(given, { stdout, stderr }) {
    const { startSandbox } = await loadSandbox();
    const [host, seed, dataDir] = [given.text("host"), given.text("seed"), given.text("data-dir")];
    const sandbox = await startSandbox({
      port: portFrom(given) ?? usualPort,
      ...(host !== undefined && { host }),
      ...(seed !== undefined && { seed }),
      ...(dataDir !== undefined && { dataDir }),
    });
    await write(stdout, asVariables(demoConnection(sandbox)));
    await write(stderr, `The sandbox runs at ${sandbox.baseUrl}. Ctrl-C stops it.\n`);
    await untilStopped();
    await sandbox.close();
    return 0;
  },
};
