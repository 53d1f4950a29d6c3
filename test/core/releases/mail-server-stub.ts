/** A local mail server and the mails it received. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { runLater } from "../../support/resources";

export interface ReceivedMail {
  readonly to: string;
  readonly message: string;
}

export interface MailServerStub {
  readonly received: ReceivedMail[];
  /** Addresses that it rejects. */
  readonly refused: Set<string>;
  readonly url: string;
  to(address: string): string[];
}

export const password = "p@ss/word of the server";

/** Starts a server with a user and a password. It repeats the password when it rejects another one. */
export async function startMailServerStub(): Promise<MailServerStub> {
  const received: ReceivedMail[] = [];
  const refused = new Set<string>();
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password: given }, _session, done) =>
      username === "fxdesk" && given === password
        ? done(null, { user: "fxdesk" })
        : done(new Error(`${given} is wrong`)),
    onRcptTo: ({ address }, _session, done) =>
      done(refused.has(address) ? new Error("No such mailbox.") : null),
    onData: (stream, { envelope: { rcptTo } }, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const message = Buffer.concat(chunks).toString("utf8");
        for (const { address } of rcptTo) received.push({ to: address, message });
        done();
      });
    },
  });
  runLater(() => new Promise<void>((resolve) => server.close(resolve)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    received,
    refused,
    url: `smtp://fxdesk:${encodeURIComponent(password)}@127.0.0.1:${port}`,
    to: (address) => received.flatMap((each) => (each.to === address ? [each.message] : [])),
  };
}
