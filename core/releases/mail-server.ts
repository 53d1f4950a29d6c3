/** The mail server of who runs this, by SMTP, through the package `nodemailer` of whoever uses it. */
import { z } from "zod";
import { isLoopback, withoutBrackets } from "../schema/host";

export interface MailSettings {
  /** smtps://user:password@host:port, or smtp://…, which turns to TLS before anything is said, unless it is this machine. */
  readonly server: string;
  /** The address that mails are from. */
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same mail has the same ID, also when it is sent again. */
  readonly messageId: string;
}

/** What is used of `nodemailer`: who has it not installed still reads these declarations. */
interface Transport {
  sendMail(mail: Mail & { readonly from: string }): Promise<unknown>;
  close(): void;
}
interface Nodemailer {
  createTransport(options: Readonly<Record<string, unknown>>): Transport;
}

export const MailAddress = z.email("must be a mail address, such as anna@example.com");

/** How long the server may take for each step. */
const timeoutMs = 10_000;

async function loadMailer(): Promise<Nodemailer> {
  try {
    return (await import("nodemailer")) as Nodemailer;
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.endsWith("NOT_FOUND")) throw error;
    throw new TypeError("mailServer needs the package nodemailer: npm install nodemailer", { cause: error });
  }
}

/** Throws a TypeError that begins with the setting, and never has the password in it. */
function parseServerUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !/^\/?$/.test(url.pathname))
    throw new TypeError(
      "mailServer must be the address of a mail server, such as smtps://user:password@mail.example.com:465.",
    );
  return url;
}

export class MailServer {
  private constructor(
    private readonly transport: Transport,
    private readonly from: string,
    private readonly password: string,
  ) {}

  /** Connects to nothing yet. Throws a TypeError that begins with the setting. */
  static async open({ server, from }: MailSettings): Promise<MailServer> {
    const { protocol, hostname, port, username, password } = parseServerUrl(server);
    if (!MailAddress.safeParse(from).success)
      throw new TypeError(
        `mailFrom must be a mail address, such as fxdesk@example.com, not ${JSON.stringify(from)}.`,
      );
    const mailer = await loadMailer();
    const secure = protocol === "smtps:";
    const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
    const transport = mailer.createTransport({
      host: withoutBrackets(hostname),
      port: Number(port || (secure ? 465 : 587)),
      secure,
      requireTLS: !secure && !isLoopback(hostname),
      ...(username !== "" && { auth }),
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
    });
    return new MailServer(transport, from, auth.pass);
  }

  /** Throws an Error that says what went wrong, without the password. */
  async send(mail: Mail): Promise<void> {
    try {
      await this.transport.sendMail({ ...mail, from: this.from });
    } catch (error) {
      const failure = error as Error;
      if (this.password !== "") failure.message = failure.message.replaceAll(this.password, "…");
      throw failure;
    }
  }

  close(): void {
    this.transport.close();
  }
}
