/**
 * Outgoing e-mail: sent by SMTP if a server is configured, else written to a folder if one is, and always recorded.
 */
import { constants, rmSync } from "node:fs";
import { access, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DomainError } from "../common/domain-error";

/** A file with its content. */
export interface StoredFile {
  readonly contentType: string;
  readonly fileName: string;
  readonly bytes: Buffer;
}

interface MailDraft {
  /** Seed of the Message-ID and of the MIME boundaries. */
  readonly id: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly sentAt: Date;
  readonly attachments: readonly StoredFile[];
}

export interface Mail extends MailDraft {
  /** Complete message as sent or written (RFC 5322, MIME). */
  readonly message: Buffer;
}

/** Destination of e-mails. */
export interface MailDelivery {
  /** Folder for one .eml file per mail. */
  readonly folder?: string | undefined;
  /** Mail server, as smtp://user:password@host:port. Takes precedence over `folder`. */
  readonly smtpUrl?: string | undefined;
}

const mailProtocols = new Set(["smtp:", "smtps:"]);

/** Creates a folder and its parents, one at a time: a recursive mkdir never returns on some systems. */
async function createFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await createFolder(dirname(folder));
    await mkdir(folder);
  }
}

/** Checks that e-mails can be delivered. Throws a RangeError that names the setting. */
export async function checkMailDelivery({ folder, smtpUrl }: MailDelivery): Promise<void> {
  if (smtpUrl !== undefined && !(URL.canParse(smtpUrl) && mailProtocols.has(new URL(smtpUrl).protocol)))
    throw new RangeError("smtpUrl must be an smtp:// or smtps:// URL with a host name.");
  if (folder === undefined || smtpUrl !== undefined) return;
  try {
    await createFolder(folder);
    await access(`${folder}/`, constants.W_OK);
  } catch (error) {
    throw new RangeError(`dataDir: e-mails cannot be written to ${folder}: ${(error as Error).message}`);
  }
}

const sender = "statements@sandbox-bank.example";

/** Loaded on first use, because loading takes noticeable time. */
const loadNodemailer = () => import("nodemailer");

/** Composes the MIME message. The same draft always gives the same bytes. */
async function composeMessage({ id, to, subject, text, sentAt, attachments }: MailDraft): Promise<Buffer> {
  const { createTransport } = await loadNodemailer();
  const transport = createTransport({ streamTransport: true, buffer: true, newline: "windows" });
  const { message } = await transport.sendMail({
    from: { name: "Sandbox Bank", address: sender },
    to,
    subject,
    text,
    date: sentAt,
    messageId: `<${sentAt.getTime()}.${id}@sandbox-bank.example>`,
    baseBoundary: id,
    attachments: attachments.map(({ fileName, contentType, bytes }) => ({
      filename: fileName,
      contentType,
      content: bytes,
    })),
  });
  return message as Buffer;
}

async function sendBySmtp(smtpUrl: string, { to, message }: Mail): Promise<void> {
  const { createTransport } = await loadNodemailer();
  const transport = createTransport(smtpUrl);
  try {
    await transport.sendMail({ envelope: { from: sender, to }, raw: message });
  } catch (error) {
    throw new DomainError("mail-not-sent", "The mail server did not accept the e-mail.", String(error));
  } finally {
    transport.close();
  }
}

const fileNameOf = ({ id, sentAt }: Mail): string =>
  `${sentAt.toISOString().replace(/[-:.]/g, "")}-${id.slice(0, 8)}.eml`;

/** Returns a mail as an .eml file. */
export const toEmlFile = (mail: Mail): StoredFile => ({
  contentType: "message/rfc822",
  fileName: fileNameOf(mail),
  bytes: mail.message,
});

/** Writes a mail to the folder and returns its path. */
async function writeMailFile(folder: string, mail: Mail): Promise<string> {
  const path = join(folder, fileNameOf(mail));
  await createFolder(folder);
  await writeFile(path, mail.message);
  return path;
}

export class Outbox {
  readonly #mails: Mail[];
  /** Files written by this outbox, by path. */
  readonly #files = new Map<string, Mail>();
  #isDiscarded = false;

  /** `mails` were sent earlier; their files do not belong to this outbox. */
  constructor(
    private readonly delivery: MailDelivery = {},
    mails: readonly Mail[] = [],
  ) {
    this.#mails = [...mails];
  }

  /** Sent mails, oldest first. */
  get mails(): readonly Mail[] {
    return this.#mails;
  }

  /** Sends and records a mail. Throws a DomainError if the mail server rejects it. */
  async send(draft: MailDraft): Promise<void> {
    const { folder, smtpUrl } = this.delivery;
    const mail = { ...draft, message: await composeMessage(draft) };
    if (smtpUrl !== undefined) await sendBySmtp(smtpUrl, mail);
    else if (folder !== undefined) this.#files.set(await writeMailFile(folder, mail), mail);
    this.#mails.push(Object.freeze(mail));
    if (this.#isDiscarded) this.removeFiles();
  }

  /** Transfers the files of mails that `other` also contains, and deletes the rest. */
  transferFilesTo(other: Outbox): void {
    const sharedIds = new Set(other.#mails.map(({ id }) => id));
    for (const [path, mail] of this.#files)
      if (sharedIds.has(mail.id)) {
        other.#files.set(path, mail);
        this.#files.delete(path);
      }
    this.removeFiles();
  }

  /** Removes the files this outbox has written, including one still being written. */
  removeFiles(): void {
    this.#isDiscarded = true;
    for (const path of this.#files.keys()) rmSync(path, { force: true });
    this.#files.clear();
  }
}
