/** Sends mail by SMTP, through the optional peer dependency `nodemailer`. */
import { MailAddress } from "../people/people-file";
import { isLoopback, withoutBrackets } from "../values/host";

export interface MailSettings {
  /** `smtps://user:password@host:port`, or `smtp://…`, which requires STARTTLS except on this machine. */
  readonly server: string;
  /** Sender address. */
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** Stays the same when a mail is sent again, so that servers can remove duplicates. */
  readonly messageId: string;
}

/** The used part of `nodemailer`, declared here so that types compile without the package. */
interface Transport {
  sendMail(mail: Mail & { readonly from: string }): Promise<unknown>;
  close(): void;
}
interface Nodemailer {
  createTransport(options: Readonly<Record<string, unknown>>): Transport;
}

/** Limit for each step of the SMTP session. */
const timeoutMs = 10_000;

async function loadMailer(): Promise<Nodemailer> {
  try {
    return (await import("nodemailer")) as Nodemailer;
  } catch (error) {
    if (!(error as NodeJS.ErrnoException).code?.endsWith("NOT_FOUND")) throw error;
    throw new TypeError("mailServer needs the package nodemailer: npm install nodemailer", { cause: error });
  }
}

/** Parses the URL. Throws a TypeError that starts with the setting and never contains the password. */
function parseServerUrl(server: string): URL {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === "" || !/^\/?$/.test(url.pathname))
    throw new TypeError(
      "mailServer must be the URL of a mail server, for example smtps://user:password@mail.example.com:465.",
    );
  return url;
}

export class MailServer {
  private constructor(
    private readonly transport: Transport,
    private readonly from: string,
    private readonly password: string,
  ) {}

  /** Prepares the transport without connecting. Throws a TypeError that starts with the setting. */
  static async open({ server, from }: MailSettings): Promise<MailServer> {
    const { protocol, hostname, port, username, password } = parseServerUrl(server);
    if (!MailAddress.safeParse(from).success)
      throw new TypeError(
        `mailFrom must be a mail address, for example fxdesk@example.com, not ${JSON.stringify(from)}.`,
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

  /** Sends a mail. Throws an Error without the password in its message. */
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
